package io.holdfast.benchmarks.kit;

import java.util.List;

/** Measures rows in which several JVMs want one lock, and checks that no update was lost under it. */
public record HotRows(List<CrowdRow> rows) {

    public void measure(Arena arena, Round round) {
        for (CrowdRow row : rows) {
            row.measure(arena, round).ifPresent(passes -> {
                round.put(row.label(), Column.LEAST_SHARE, passes.leastShare());
                round.put(row.label(), Column.LOST_UPDATES, passes.all() - arena.data(row.entrant()));
            });
        }
    }
}
