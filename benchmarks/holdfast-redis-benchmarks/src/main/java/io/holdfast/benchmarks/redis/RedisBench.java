package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.Jdk;
import io.holdfast.benchmarks.Machine;
import io.holdfast.benchmarks.Publication;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** The command line; see {@code ./holdfast help}. Works in the folder of the repository. */
public final class RedisBench {

    private static final Publication PUBLICATION = new Publication(
            Path.of("benchmarks/holdfast-redis-benchmarks/target/bench"), Path.of("docs/stores/redis-performance.md"));

    private RedisBench() {}

    public static void main(String[] args) {
        Request request;
        List<Section> sections;
        try {
            request = Request.parse(List.of(args));
            sections = request.choose(all());
        } catch (IllegalArgumentException wrong) {
            say("bench-redis: " + wrong.getMessage());
            System.exit(2);
            return;
        }
        try (Arena arena = new Arena(request.effort(), EnumSet.allOf(Contestant.class), RedisBench::say)) {
            for (Section section : sections) {
                measure(section, request, arena);
            }
        }
    }

    private static void measure(Section section, Request request, Arena arena) {
        double load = Machine.load();
        int rounds = request.rounds();
        say(section.key() + ", rounds: " + rounds);
        String table = run(section, rounds, arena).markdown() + "\n" + facts(section, request, load) + "\n";
        System.out.printf("%n%s%n%n%s%n", section.title(), table);
        PUBLICATION.keep(section.key(), table);
        if (request.isForThePage()) {
            PUBLICATION.publish(section.key(), table);
        }
    }

    static Table run(Section section, int rounds, Arena arena) {
        List<Round> measured =
                IntStream.rangeClosed(1, rounds).mapToObj(Round::new).toList();
        measured.forEach(round -> section.measure(arena, round));
        return new Table(section, measured);
    }

    private static String facts(Section section, Request request, double load) {
        return String.format(
                Locale.ROOT,
                "%s, load %.1f before; JDK %s; rounds: %d.",
                Machine.current().facts(),
                load,
                section.jdk().version(),
                request.rounds());
    }

    static List<Section> all() {
        List<Section> sections = new ArrayList<>(List.of(
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
                        () -> say("bench-redis: no JDK 21 or later here, so no section virtual"));
        return sections;
    }

    private static void say(String what) {
        System.err.println(what);
    }
}
