package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * Lets the entrants of a section take turns, so that what slows the machine down for a while slows down all of them. The
 * order turns around from round to round, so that nobody always comes first.
 */
record Rounds(int count, Recorder recorder, Consumer<String> progress) {

    Results run(Section section) {
        Results results = new Results();
        for (int round = 1; round <= count; round++) {
            for (Section.Setting setting : section.settings()) {
                for (Section.Entrant entrant : inOrder(setting.entrants(), round)) {
                    progress.accept("%s, round %d of %d: %s, %s"
                            .formatted(section.key(), round, count, setting.name(), entrant.name()));
                    Outcome outcome = entrant.probe().measure(recorder.jvmArgs(section, setting, entrant));
                    results.add(setting.name(), entrant.name(), outcome);
                }
            }
        }
        return results;
    }

    private static List<Section.Entrant> inOrder(List<Section.Entrant> entrants, int round) {
        List<Section.Entrant> order = new ArrayList<>(entrants);
        if (round % 2 == 0) {
            Collections.reverse(order);
        }
        return order;
    }
}
