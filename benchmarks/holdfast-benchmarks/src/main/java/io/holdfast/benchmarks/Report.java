package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Renders a section as a Markdown table. */
record Report(Section section, Results results) {

    String markdown() {
        List<String> lines = new ArrayList<>();
        List<String> headings = new ArrayList<>(List.of("", ""));
        section.columns().forEach(column -> headings.add(column.heading()));
        section.references().forEach(reference -> headings.add("× " + reference));
        lines.add(row(headings));
        lines.add("|---|---|" + "---:|".repeat(headings.size() - 2));
        for (Section.Setting setting : section.settings()) {
            String name = setting.name();
            for (Section.Entrant entrant : setting.entrants()) {
                lines.add(row(cells(name, setting, entrant)));
                name = "";
            }
        }
        return String.join("\n", lines) + "\n";
    }

    private List<String> cells(String name, Section.Setting setting, Section.Entrant entrant) {
        List<String> cells = new ArrayList<>(List.of(name, entrant.name()));
        for (Metric column : section.columns()) {
            cells.add(text(results.spread(setting.name(), entrant.name(), column)));
        }
        for (String reference : section.references()) {
            boolean compared =
                    setting.references().contains(reference) && !entrant.name().equals(reference);
            cells.add(
                    compared ? text(results.ratio(setting.name(), entrant.name(), reference, section.measure())) : "");
        }
        return cells;
    }

    private static String row(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |";
    }

    private static String text(Spread spread) {
        String median = text(spread.median());
        String least = text(spread.least());
        String most = text(spread.most());
        return least.equals(most) ? median : median + " (" + least + "–" + most + ")";
    }

    /** Three digits that count; more would say more than was measured. */
    private static String text(double value) {
        if (!Double.isFinite(value)) {
            return "–";
        }
        int digits = value == 0 ? 0 : 2 - (int) Math.floor(Math.log10(Math.abs(value)));
        double unit = Math.pow(10, -digits);
        double rounded = digits < 0 ? Math.rint(value / unit) * unit : value;
        return String.format(Locale.ROOT, "%,." + Math.max(0, Math.min(3, digits)) + "f", rounded);
    }
}
