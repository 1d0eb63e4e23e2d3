package io.holdfast.benchmarks.kit;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * A command line that measures sections, prints their tables, and publishes them when they are good enough. Works in the folder
 * of the repository.
 *
 * @param command what users call it
 * @param all the sections it has
 * @param arena makes the place where they are measured
 */
public record Bench<A extends Arena>(
        String command, Publication publication, List<Section<A>> all, Function<Effort, A> arena) {

    public void run(String... args) {
        Request request;
        List<Section<A>> sections;
        try {
            request = Request.parse(List.of(args));
            sections = request.choose(all);
        } catch (IllegalArgumentException wrong) {
            say(command + ": " + wrong.getMessage());
            System.exit(2);
            return;
        }
        try (A place = arena.apply(request.effort())) {
            for (Section<A> section : sections) {
                measure(section, request, place);
            }
        }
    }

    private void measure(Section<A> section, Request request, A place) {
        double load = Machine.load();
        say(section.key() + ", rounds: " + request.rounds());
        Table measured = Table.measure(section, request.rounds(), place);
        String table = measured.markdown() + "\n" + facts(section, request, load) + "\n";
        System.out.printf("%n%s%n%n%s%n", section.title(), table);
        publication.keep(section.key(), table);
        if (request.isForThePage()) {
            publication.publish(section.key(), table);
        }
    }

    private String facts(Section<A> section, Request request, double load) {
        return String.format(
                Locale.ROOT,
                "%s, load %.1f before; JDK %s; rounds: %d.",
                Machine.current().facts(),
                load,
                section.jdk().version(),
                request.rounds());
    }

    /** To those who wait, not into the tables. */
    public static void say(String what) {
        System.err.println(what);
    }
}
