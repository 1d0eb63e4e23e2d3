package io.holdfast.benchmarks.redis;

import java.util.List;

/** What a forked JVM is asked to do. */
interface Task {

    /** Does it. */
    Answer run(int port, Cue cue) throws InterruptedException;

    /** For a command line; {@link #parse} reads it. */
    List<String> args();

    /** Whether the JVM that does it leaves the processors to the server. */
    default boolean isModest() {
        return false;
    }

    static Task parse(List<String> args) {
        return switch (args.get(0)) {
            case CrowdTask.NAME -> CrowdTask.parse(args);
            case HandOffTask.NAME -> HandOffTask.parse(args);
            case HeldTask.NAME -> HeldTask.parse(args);
            case WaitingTask.NAME -> WaitingTask.parse(args);
            default -> throw new IllegalArgumentException("no such task: " + args);
        };
    }
}
