package io.holdfast.benchmarks.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** What a process has had of the processors, step by step. Not thread-safe. */
final class Steps {

    private final long pid;
    private final List<Long> nanos = new ArrayList<>();
    private ProcessorTime latest;

    /** The first step begins. */
    Steps(long pid) {
        this.pid = pid;
        this.latest = ProcessorTime.of(pid);
    }

    /** Ends a step, and begins the next one. */
    void end() {
        ProcessorTime now = ProcessorTime.of(pid);
        nanos.add(now.since(latest).onProcessor());
        latest = now;
    }

    /**
     * The most of two steps that follow each other. The kernel may book a part of what is done in one step in the next: it
     * brings the counter of a process that runs up to date only now and then.
     */
    long longestTwo() {
        return IntStream.range(1, nanos.size())
                .mapToLong(i -> nanos.get(i - 1) + nanos.get(i))
                .max()
                .orElse(0);
    }
}
