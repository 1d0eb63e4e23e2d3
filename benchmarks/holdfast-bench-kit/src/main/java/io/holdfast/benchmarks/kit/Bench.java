package io.holdfast.benchmarks.kit;

import java.util.ArrayList;
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
        String command, Publication publication, List<Section<A>> all, Function<Request, A> arena) {

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
        try (A place = arena.apply(request)) {
            for (Section<A> section : sections) {
                measure(section, request, place);
            }
        }
    }

    private void measure(Section<A> section, Request request, A place) {
        String before = String.format(Locale.ROOT, "load %.1f%s before", Machine.load(), place.circumstances());
        say(section.key() + ", rounds: " + request.rounds());
        Table measured = Table.measure(section, request.rounds(), place);
        String table = measured.markdown() + "\n" + facts(section, request, before) + "\n";
        System.out.printf("%n%s%n%n%s%n", section.title(), table);
        publication.keep(section.key(), table);
        if (request.isForThePage()) {
            publication.publish(section.key(), table);
        }
    }

    private String facts(Section<A> section, Request request, String before) {
        return "%s, %s; JDK %s; rounds: %d."
                .formatted(Machine.current().facts(), before, section.jdk().version(), request.rounds());
    }

    /** What the page and the sections do not agree about, and sections with themselves; empty if all is well. */
    public List<String> flaws(String page) {
        List<String> flaws = new ArrayList<>();
        for (Section<A> section : all) {
            if (!page.contains("<!-- bench: " + section.key() + " -->\n")
                    || !page.contains("<!-- end: " + section.key() + " -->\n")) {
                flaws.add("the page has no place for " + section.key());
            }
            for (Goal goal : section.goals()) {
                if (!section.columns().contains(goal.column())) {
                    flaws.add(section.key() + " does not show " + goal.column().heading());
                }
            }
        }
        return flaws;
    }

    /** To those who wait, not into the tables. */
    public static void say(String what) {
        System.err.println(what);
    }
}
