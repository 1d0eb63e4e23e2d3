package io.holdfast.benchmarks.kit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The rounds of a section, rendered as Markdown. */
public record Table(Section<?> section, List<Round> rounds) {

    /** Measures all rounds of the section. */
    public static <A extends Arena> Table measure(Section<A> section, int rounds, A arena) {
        List<Round> measured =
                IntStream.rangeClosed(1, rounds).mapToObj(Round::new).toList();
        measured.forEach(round -> section.measure(arena, round));
        return new Table(section, measured);
    }

    /** Where the values of the rounds lie; empty if there are none. */
    public Optional<Spread> spread(String row, Column column) {
        double[] values = rounds.stream()
                .map(round -> round.value(row, column))
                .filter(OptionalDouble::isPresent)
                .mapToDouble(OptionalDouble::getAsDouble)
                .toArray();
        return values.length == 0 ? Optional.empty() : Optional.of(Spread.of(values));
    }

    /** Whether every round has a value. */
    boolean isComplete(String row, Column column) {
        return rounds.stream().allMatch(round -> round.value(row, column).isPresent());
    }

    /** Why the numbers are worth nothing; empty if they are worth something. */
    public List<String> complaints() {
        List<String> complaints = new ArrayList<>();
        for (Round round : rounds) {
            complaints.addAll(round.notes());
            if (round.rows().isEmpty()) {
                complaints.add("nobody was measured");
            }
            for (String row : round.rows()) {
                double lost = round.value(row, Column.LOST_UPDATES).orElse(0);
                if (lost != 0) {
                    complaints.add(row + ": lost updates: " + lost);
                }
            }
        }
        return complaints;
    }

    public String markdown() {
        List<String> lines = new ArrayList<>();
        lines.add(line(Stream.concat(Stream.of(""), section.columns().stream().map(Column::heading))));
        lines.add("|---|" + "---:|".repeat(section.columns().size()));
        rounds.stream()
                .flatMap(round -> round.rows().stream())
                .distinct()
                .forEach(row -> lines.add(line(Stream.concat(
                        Stream.of(row),
                        section.columns().stream()
                                .map(column ->
                                        spread(row, column).map(Spread::text).orElse(""))))));
        lines.addAll(List.of("", "| | Goal | Measured | Reached |", "|---|---|---:|---|"));
        section.goals().forEach(goal -> lines.add(goal.line(this)));
        List<String> notes =
                rounds.stream().flatMap(round -> round.notes().stream()).toList();
        if (!notes.isEmpty()) {
            lines.add("");
            notes.forEach(note -> lines.add("- " + note));
        }
        return String.join("\n", lines) + "\n";
    }

    private static String line(Stream<String> cells) {
        return "| " + String.join(" | ", cells.toList()) + " |";
    }
}
