package io.holdfast.benchmarks.redis;

import java.util.List;

/** Measures rows in which several JVMs want one lock, and checks that no update was lost under it. */
record HotRows(List<CrowdRow> rows) {

    void measure(Arena arena, Round round) {
        for (CrowdRow row : rows) {
            row.measure(arena, round).ifPresent(passes -> {
                round.put(row.label(), Column.LEAST_SHARE, passes.leastShare());
                round.put(row.label(), Column.LOST_UPDATES, passes.all() - arena.data());
            });
        }
        if (round.isFirst()) {
            rows.forEach(row -> row.countSent(arena, round));
        }
    }
}
