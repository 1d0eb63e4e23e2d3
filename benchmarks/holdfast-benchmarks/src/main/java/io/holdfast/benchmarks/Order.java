package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;

/**
 * What the command line asks for.
 *
 * @param sections the keys of the wanted sections; empty for all
 * @param rounds how often everything is measured
 */
record Order(List<String> sections, int rounds, Effort effort, Look look) {

    /** How closely to look. */
    enum Look {
        /** What it costs. */
        NUMBERS,
        /** Also why, which makes it slower. */
        PROFILE
    }

    static Order parse(List<String> args) {
        List<String> sections = new ArrayList<>();
        Effort effort = Effort.FULL;
        Look look = Look.NUMBERS;
        int rounds = 0;
        for (int i = 0; i < args.size(); i++) {
            switch (args.get(i)) {
                case "--quick" -> effort = Effort.QUICK;
                case "--profile" -> look = Look.PROFILE;
                case "--rounds" -> rounds = number(i + 1 < args.size() ? args.get(++i) : "");
                default -> sections.add(section(args.get(i)));
            }
        }
        return new Order(sections, rounds > 0 ? rounds : effort.rounds(), effort, look);
    }

    /**
     * The wanted ones, in their own order.
     *
     * @throws IllegalArgumentException if one is wanted that is not there
     */
    List<Section> choose(List<Section> all) {
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

    private static int number(String text) {
        try {
            int rounds = Integer.parseInt(text);
            if (rounds >= 1) {
                return rounds;
            }
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException("--rounds takes a whole number: '" + text + "'", notANumber);
        }
        throw new IllegalArgumentException("--rounds must be at least 1: " + text);
    }

    private static String section(String text) {
        if (text.startsWith("-")) {
            throw new IllegalArgumentException("unknown option " + text);
        }
        return text;
    }
}
