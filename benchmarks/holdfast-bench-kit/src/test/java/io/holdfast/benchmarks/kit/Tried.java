package io.holdfast.benchmarks.kit;

import java.util.List;

/** A section that measures nothing. */
record Tried(String key, List<Column> columns, List<Goal> goals) implements Section<Arena> {

    Tried(String key) {
        this(key, List.of(), List.of());
    }

    @Override
    public String title() {
        return key;
    }

    @Override
    public void measure(Arena arena, Round round) {}
}
