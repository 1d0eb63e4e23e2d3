package io.holdfast;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Leader election: one candidate for being the only leader under a name. A leader holds a lock without an end; a candidate waits for
 * it without a maximum, and acquires it again after a loss. Thread-safe.
 *
 * <pre>{@code
 * LeaderElection election = holdfast.election("reports");
 * election.start(new LeaderElection.Listener() {
 *     public void onElected(Lease term) { scheduler.start(term); }
 *     public void onRevoked(Lease term) { scheduler.stop(); }
 * });
 * }</pre>
 *
 * <p>There is never a second leader while {@link #isLeader()} is true: it checks the clock, and is false
 * before the store could elect another. What is already under way at that moment can only be guarded where the data is,
 * with the term's fencing token ({@link Lease#token()}), which grows from term to term.
 */
public interface LeaderElection extends AutoCloseable {

    /**
     * Receives the terms of one candidate, one call after the other, on the executor of the {@link Holdfast}. A term that has
     * ended before {@link #onElected} could be called is left out.
     */
    interface Listener {

        /**
         * A term begins. Should return soon, after starting the work elsewhere: {@link #onRevoked} is called after it has
         * returned, and until then it occupies a thread of the executor. The election releases the lease.
         */
        void onElected(Lease term);

        /**
         * The term has ended: stop the work. After {@link #resign()} and {@link #close()} the next leader, in whichever process, is
         * elected only when this has returned; after a loss it does not wait for this.
         */
        void onRevoked(Lease term);
    }

    /** The name. */
    String name();

    /**
     * Begins to campaign, until {@link #close()}, or until the {@link Holdfast} is closed. It keeps campaigning after a loss, and
     * through outages of the store.
     *
     * @throws IllegalStateException if it was started already, or is closed
     */
    void start(Listener listener);

    /** Is this the leader at this moment? */
    boolean isLeader();

    /** The present term; empty if this is not the leader at this moment. */
    Optional<Lease> term();

    /**
     * Ends the present term, if there is one, and campaigns again behind the waiting candidates. On a store without a wait queue it
     * campaigns again after 2 s, or after {@code leaseTime} if that is shorter, so that the others, which poll, can be elected before.
     *
     * @return completes when the listener has returned and the release was sent to the store. Do not wait for it
     *     inside the listener, which is not called again before it returns
     */
    CompletableFuture<Void> resign();

    /** Ends the present term, as {@link #resign()} does, and stops campaigning. Returns at once. */
    @Override
    void close();
}
