package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;

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
            cells.add(results.spread(setting.name(), entrant.name(), column).text());
        }
        for (String reference : section.references()) {
            boolean compared =
                    setting.references().contains(reference) && !entrant.name().equals(reference);
            cells.add(
                    compared
                            ? results.ratio(setting.name(), entrant.name(), reference, section.measure())
                                    .text()
                            : "");
        }
        return cells;
    }

    private static String row(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |";
    }
}
