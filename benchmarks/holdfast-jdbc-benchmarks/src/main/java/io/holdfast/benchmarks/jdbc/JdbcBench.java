package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Bench;
import io.holdfast.benchmarks.kit.Publication;
import io.holdfast.benchmarks.kit.Section;
import java.nio.file.Path;
import java.util.List;

/** The command line; see {@code ./holdfast help}. Works in the folder of the repository. */
public final class JdbcBench {

    private static final Publication PUBLICATION = new Publication(
            Path.of("benchmarks/holdfast-jdbc-benchmarks/target/bench"), Path.of("docs/stores/jdbc-performance.md"));

    private JdbcBench() {}

    public static void main(String[] args) {
        bench().run(args);
    }

    static Bench<JdbcArena> bench() {
        return new Bench<>(
                "bench-jdbc", PUBLICATION, all(), request -> new JdbcArena(request, everybody -> true, Bench::say));
    }

    static List<Section<JdbcArena>> all() {
        return List.of(
                new Uncontended(),
                new HotInOneJvm(),
                new HotInManyJvms(),
                new HandOff(),
                new WaitingProcesses(),
                new WaitedNames(),
                new Refused(),
                new ManyRows(),
                new OldSnapshot(),
                new HotInFile(),
                new ManySessions());
    }
}
