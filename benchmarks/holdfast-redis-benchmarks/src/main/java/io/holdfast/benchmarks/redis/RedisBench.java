package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Bench;
import io.holdfast.benchmarks.kit.Jdk;
import io.holdfast.benchmarks.kit.Publication;
import io.holdfast.benchmarks.kit.Section;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line; see {@code ./holdfast help}. Works in the folder of the repository. */
public final class RedisBench {

    private static final Publication PUBLICATION = new Publication(
            Path.of("benchmarks/holdfast-redis-benchmarks/target/bench"), Path.of("docs/stores/redis-performance.md"));

    private RedisBench() {}

    public static void main(String[] args) {
        bench().run(args);
    }

    static Bench<RedisArena> bench() {
        return new Bench<>(
                "bench-redis", PUBLICATION, all(), request -> new RedisArena(request, everybody -> true, Bench::say));
    }

    static List<Section<RedisArena>> all() {
        List<Section<RedisArena>> sections = new ArrayList<>(List.of(
                new Uncontended(),
                new UncontendedByMany(),
                new HotInOneJvm(),
                new HotInManyJvms(),
                new HotInOrder(),
                new HandOff(),
                new Held(),
                new Waiting()));
        Jdk.current()
                .withVirtualThreads()
                .ifPresentOrElse(
                        jdk -> sections.add(new HotByVirtualThreads(jdk)),
                        () -> Bench.say("bench-redis: no JDK 21 or later here, so no section virtual"));
        return sections;
    }
}
