package io.holdfast.benchmarks.kit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Where contestants meet: servers, and JVMs that are forked for each measurement. */
public abstract class Arena implements AutoCloseable {

    /** To start a JVM and connect, however slow the machine. */
    public static final Duration START = Duration.ofSeconds(60);

    /** More than a task needs after its window, stuck threads included. */
    public static final Duration GRACE = Duration.ofSeconds(30);

    private final Request request;
    private final Predicate<Entrant> present;
    private final Consumer<String> progress;

    /** @param present who takes part; sections leave out the others */
    protected Arena(Request request, Predicate<Entrant> present, Consumer<String> progress) {
        this.request = request;
        this.present = present.and(request::isWanted);
        this.progress = progress;
    }

    public final Effort effort() {
        return request.effort();
    }

    /** Those of them who are present; in every other round, the last comes first. */
    public final <E extends Entrant> List<E> inTurn(Round round, List<E> all) {
        List<E> order = new ArrayList<>(all);
        order.removeIf(present.negate());
        if (round.number() % 2 == 0) {
            Collections.reverse(order);
        }
        return order;
    }

    /** Lets all tasks start at the same moment, each in a JVM of its own. */
    public final List<Answer> run(Jdk jdk, Duration expected, List<? extends Task> tasks) throws FailedRun {
        try (Forks forks = start(jdk, START, tasks)) {
            forks.go();
            return forks.answers(expected.plus(GRACE));
        }
    }

    /** Starts one JVM per task on servers that are as good as new, and waits until all of them are ready. */
    protected Forks start(Jdk jdk, Duration limit, List<? extends Task> tasks) throws FailedRun {
        clear();
        return Forks.start(jdk, request, limit, tasks);
    }

    /** Takes away what measurements have left behind. */
    protected abstract void clear() throws FailedRun;

    /** Where the server is that this one uses. */
    public abstract String addressOf(Entrant entrant);

    /** The number that was counted up under locks of this one; see {@link Inside}. */
    public abstract long data(Entrant entrant);

    /** What else one has to know to read the numbers of a section that is about to begin; empty if nothing. */
    public String circumstances() {
        return "";
    }

    public final void progress(String what) {
        progress.accept(what);
    }

    @Override
    public abstract void close();
}
