package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Scheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Removes the rows of names that nobody has used for the retention time; now and then, in every process. */
final class Sweeping implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(JdbcStore.class.getName());

    /** So few that nobody has to wait for it. */
    static final int AT_ONCE = 1_000;

    private static final int ROUNDS = 50;

    private final String store;
    private final Environment environment;
    private final Lanes lanes;
    private final Duration retention;
    private final List<String> statements;
    private final ReentrantLock mutex = new ReentrantLock();
    private boolean closed;
    private Scheduler.Task task;

    /** @param statements each removes {@link #AT_ONCE} rows at most */
    Sweeping(String store, Environment environment, Lanes lanes, Duration retention, List<String> statements) {
        this.store = store;
        this.environment = environment;
        this.lanes = lanes;
        this.retention = retention;
        this.statements = statements;
        this.task = environment.scheduler().schedule(this::sweep, pause());
    }

    /** Not all processes at the same time. */
    private long pause() {
        return (long)
                (retention.toNanos() / 4.0 * (0.5 + 0.5 * environment.random().getAsDouble()));
    }

    private void sweep() {
        sweep(0, ROUNDS);
    }

    /** In steps, for others want the lane, too. */
    private void sweep(int statement, int rounds) {
        if (statement == statements.size()) {
            again();
            return;
        }
        var unused = lanes.call(
                        session -> session.prepare(statements.get(statement)).executeUpdate())
                .whenComplete((swept, failure) -> {
                    if (failure != null) {
                        LOG.log(System.Logger.Level.INFO, store + ": old rows could not be removed (" + failure + ")");
                        again();
                    } else if (swept < AT_ONCE || rounds == 1) {
                        sweep(statement + 1, ROUNDS);
                    } else {
                        sweep(statement, rounds - 1);
                    }
                });
    }

    private void again() {
        mutex.lock();
        try {
            if (!closed) {
                task = environment.scheduler().schedule(this::sweep, pause());
            }
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void close() {
        mutex.lock();
        try {
            closed = true;
            task.cancel();
        } finally {
            mutex.unlock();
        }
    }
}
