package io.holdfast.benchmarks.redis;

import java.util.ArrayList;
import java.util.List;

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

    long longest() {
        return nanos.stream().mapToLong(Long::longValue).max().orElse(0);
    }

    long above(long limit) {
        return nanos.stream().filter(each -> each > limit).count();
    }
}
