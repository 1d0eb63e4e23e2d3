package io.holdfast.lab;

import java.util.List;
import java.util.Locale;

/** Lays out one line per strategy, with the numbers below their headings. */
final class Table {

    private static final String NUMBERS = " %8s %8s %8s %10s %8s %8s %14s";

    private final String format;

    Table(List<Strategy> strategies) {
        int widest = strategies.stream()
                .mapToInt(strategy -> strategy.name().length())
                .max()
                .orElse(1);
        this.format = "%-" + widest + "s" + NUMBERS;
    }

    String heading() {
        return line("guard", "apples", "sold", "left", "oversold", "failed", "ms", "commands/sale");
    }

    String row(Strategy strategy, Tally tally) {
        return line(
                strategy.name(),
                tally.start(),
                tally.sold(),
                tally.left(),
                tally.oversold(),
                tally.failed(),
                tally.elapsed().toMillis(),
                String.format(Locale.ROOT, "%.1f", tally.commandsPerSale()));
    }

    private String line(Object... cells) {
        return String.format(Locale.ROOT, format, cells);
    }
}
