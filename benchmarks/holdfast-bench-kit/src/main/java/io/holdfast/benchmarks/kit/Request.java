package io.holdfast.benchmarks.kit;

import java.util.ArrayList;
import java.util.List;

/**
 * What the command line asks for.
 *
 * @param sections the keys of the wanted sections; empty for all
 * @param rounds how often everything is measured
 */
record Request(List<String> sections, int rounds, Effort effort) {

    static Request parse(List<String> args) {
        List<String> sections = new ArrayList<>();
        Effort effort = Effort.FULL;
        int rounds = 0;
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            if (arg.equals("--quick")) {
                effort = Effort.QUICK;
            } else if (arg.equals("--rounds")) {
                rounds = number(i + 1 < args.size() ? args.get(++i) : "");
            } else if (arg.startsWith("-")) {
                throw new IllegalArgumentException("unknown option " + arg);
            } else {
                sections.add(arg);
            }
        }
        return new Request(List.copyOf(sections), rounds > 0 ? rounds : effort.rounds(), effort);
    }

    /**
     * The wanted ones, in their own order.
     *
     * @throws IllegalArgumentException if one is wanted that is not there
     */
    <A extends Arena> List<Section<A>> choose(List<Section<A>> all) {
        List<String> keys = all.stream().map(Section::key).toList();
        for (String wanted : sections) {
            if (!keys.contains(wanted)) {
                throw new IllegalArgumentException("there is no section " + wanted + ", only " + keys);
            }
        }
        return all.stream()
                .filter(section -> sections.isEmpty() || sections.contains(section.key()))
                .toList();
    }

    /** Is it long enough for the readers of a page? */
    boolean isForThePage() {
        return effort == Effort.FULL;
    }

    private static int number(String text) {
        if (!text.matches("[1-9][0-9]{0,3}")) {
            throw new IllegalArgumentException("--rounds takes a whole number from 1 on: '" + text + "'");
        }
        return Integer.parseInt(text);
    }
}
