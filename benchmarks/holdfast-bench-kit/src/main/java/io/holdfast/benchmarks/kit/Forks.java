package io.holdfast.benchmarks.kit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Several JVMs that work at the same time, or one. */
public record Forks(List<Fork> forks) implements AutoCloseable {

    /** Starts one JVM per task, and waits until all of them are ready. */
    static Forks start(Jdk jdk, Request request, Duration limit, List<? extends Task> tasks) throws FailedRun {
        Forks started = new Forks(new ArrayList<>());
        try {
            for (Task task : tasks) {
                started.forks.add(Fork.start(jdk, request, task));
            }
            for (Fork fork : started.forks) {
                fork.awaitReady(limit);
            }
            return started;
        } catch (FailedRun | RuntimeException failure) {
            started.close();
            throw failure;
        }
    }

    public void go() throws FailedRun {
        for (Fork fork : forks) {
            fork.go();
        }
    }

    /** In the order of the tasks. */
    public List<Answer> answers(Duration limit) throws FailedRun {
        List<Answer> answers = new ArrayList<>();
        for (Fork fork : forks) {
            answers.add(fork.answer(limit));
        }
        return answers;
    }

    @Override
    public void close() {
        forks.forEach(Fork::close);
    }
}
