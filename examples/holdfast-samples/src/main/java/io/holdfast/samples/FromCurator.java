package io.holdfast.samples;

// region mutex
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.LeaderElection;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.Optional;
// endregion

/** What code for the recipes of Curator becomes. */
public final class FromCurator {

    private final Holdfast holdfast;
    private final Runnable work;

    /** Locks from {@code holdfast}. */
    public FromCurator(Holdfast holdfast, Runnable work) {
        this.holdfast = holdfast;
        this.work = work;
    }

    /** Instead of {@code InterProcessMutex}; whether it ran. */
    public boolean mutex() {
        // region mutex
        Optional<Lease> attempt = holdfast.lock("hotel:42").tryAcquire(Duration.ofSeconds(3));
        if (attempt.isEmpty()) {
            return false;
        }
        try (Lease lease = attempt.get()) {
            work.run();
            lease.ensureHeld(); // throws LeaseLostException if the lease was lost meanwhile
            return true;
        }
        // endregion
    }

    /** Instead of {@code InterProcessSemaphoreV2}. */
    public void semaphore() {
        // region semaphore
        DistributedSemaphore printers = holdfast.semaphore("printers", 3);
        try (Lease permit = printers.acquire()) {
            work.run();
            permit.ensureHeld();
        }
        // endregion
    }

    /** Instead of {@code LeaderSelector}. */
    public LeaderElection leader(Sharing.Reports reports) {
        // region leader
        LeaderElection election = holdfast.election("reports");
        election.start(new LeaderElection.Listener() {
            @Override
            public void onElected(Lease term) {
                reports.start(term.token()); // starts the work and returns
            }

            @Override
            public void onRevoked(Lease term) {
                reports.stop();
            }
        });
        // endregion
        return election;
    }
}
