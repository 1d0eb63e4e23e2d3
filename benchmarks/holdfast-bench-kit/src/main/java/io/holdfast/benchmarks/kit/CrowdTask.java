package io.holdfast.benchmarks.kit;

import java.time.Duration;

/**
 * A number of threads of one JVM that want locks, again and again.
 *
 * @param address where the server is
 * @param names how many locks they share
 * @param warmUp how long they do so before anything is counted
 * @param window how long they are counted
 */
public record CrowdTask(
        String address,
        Entrant entrant,
        int threads,
        int names,
        ThreadKind kind,
        Inside inside,
        Duration warmUp,
        Duration window)
        implements Task {

    @Override
    public boolean isEarlier() {
        return entrant.isEarlier();
    }

    @Override
    public Answer run(Cue cue) throws InterruptedException {
        return new Crowd(this, entrant.open(address), inside.open(address)).run(cue);
    }
}
