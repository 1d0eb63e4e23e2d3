package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.ThreadKind;
import java.time.Duration;
import java.util.List;

/**
 * A number of threads of one JVM that want locks, again and again.
 *
 * @param names how many locks they share
 * @param warmUp how long they do so before anything is counted
 * @param window how long they are counted
 */
record CrowdTask(
        Contestant contestant, int threads, int names, ThreadKind kind, Inside inside, Duration warmUp, Duration window)
        implements Task {

    static final String NAME = "crowd";

    @Override
    public Answer run(int port, Cue cue) throws InterruptedException {
        return new Crowd(this, contestant.open(port), new DataKey(port)).run(cue);
    }

    @Override
    public List<String> args() {
        return List.of(
                NAME,
                contestant.name(),
                Integer.toString(threads),
                Integer.toString(names),
                kind.name(),
                inside.name(),
                warmUp.toString(),
                window.toString());
    }

    static CrowdTask parse(List<String> args) {
        return new CrowdTask(
                Contestant.valueOf(args.get(1)),
                Integer.parseInt(args.get(2)),
                Integer.parseInt(args.get(3)),
                ThreadKind.valueOf(args.get(4)),
                Inside.valueOf(args.get(5)),
                Duration.parse(args.get(6)),
                Duration.parse(args.get(7)));
    }
}
