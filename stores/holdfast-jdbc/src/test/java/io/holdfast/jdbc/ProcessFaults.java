package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.servers.ChildProcess;
import io.holdfast.testkit.Eventually;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What happens to a lock when the process that holds it is killed or paused. */
final class ProcessFaults {

    private final String kind;
    private final String where;

    ProcessFaults(String kind, String where) {
        this.kind = kind;
        this.where = where;
    }

    /** The next waiter acquires the lock within the limit of a test. */
    void killHolder(Duration lease) {
        String name = "killed-" + kind;
        try (Holdfast next = open(lease);
                ChildProcess holder = LockingProcess.start(kind, where, name, lease, "held")) {
            long token = next.lock(name).inspect().holders().get(0).token();
            CompletableFuture<Lease> waiter = next.lock(name).acquireAsync();

            holder.kill();
            long killed = System.nanoTime();

            Lease its = Eventually.comes(waiter);
            Eventually.figure(
                    kind + ": holder killed, lease of " + lease.toSeconds() + " s, kill to next grant", killed);
            assertThat(its.token()).isGreaterThan(token);
            assertThat(its.release()).isTrue();
        }
    }

    void pauseHolder(Duration lease) {
        String name = "paused-" + kind;
        try (Holdfast next = open(lease);
                ChildProcess holder = LockingProcess.start(kind, where, name, lease, "held")) {
            long token = next.lock(name).inspect().holders().get(0).token();
            CompletableFuture<Lease> waiter = next.lock(name).acquireAsync();

            holder.pause();
            long paused = System.nanoTime();
            Lease its = Eventually.comes(waiter);
            Eventually.figure(
                    kind + ": holder paused, lease of " + lease.toSeconds() + " s, pause to next grant", paused);
            assertThat(its.token()).isGreaterThan(token);
            holder.resume();

            Eventually.holds("it learns", () -> holder.log().contains("released"));
            assertThat(holder.log()).contains("lost").contains("released false");
            Eventually.renewed(its);
            assertThat(its.state()).isEqualTo(LeaseState.HELD);
            assertThat(next.lock(name).inspect().holders())
                    .singleElement()
                    .satisfies(one -> assertThat(one.token()).isEqualTo(its.token()));
            assertThat(its.release()).isTrue();
        }
    }

    private Holdfast open(Duration lease) {
        return Kind.open(LockingProcess.store(kind, where), lease);
    }
}
