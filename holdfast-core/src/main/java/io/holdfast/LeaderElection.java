package io.holdfast;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One candidate for being the only one under a name, for as long as it can: a lock that is waited for without end, held
 * without end, and taken again after a loss. Thread-safe.
 *
 * <pre>{@code
 * LeaderElection election = holdfast.election("reports");
 * election.stand(new LeaderElection.Listener() {
 *     public void elected(Lease term) { scheduler.start(term); }
 *     public void deposed(Lease term) { scheduler.stop(); }
 * });
 * }</pre>
 *
 * <p>There is never a second leader while this one believes to be it: {@link #isLeader()} looks at the clock and says no
 * before the store could elect another. What is already under way at that moment can only be guarded where the data is,
 * with the term's {@link Lease#token()}, which grows from term to term.
 */
public interface LeaderElection extends AutoCloseable {

    /**
     * Receives the terms of one candidate, one call after the other, on the executor of the {@link Holdfast}. A term that has
     * ended before {@link #elected} could be called is left out.
     */
    interface Listener {

        /**
         * A term begins. Should return soon, after starting the work elsewhere: the end of the term is told after it has
         * returned, and as long as it stays it has a thread of the executor. The lease is for looking at; the election gives
         * it back.
         */
        void elected(Lease term);

        /**
         * The term is over: stop. After {@link #resign()} and {@link #close()} the next leader, wherever it is, is elected
         * only when this has returned; after a loss it does not wait for this.
         */
        void deposed(Lease term);
    }

    /** The name that is stood for. */
    String name();

    /**
     * Begins to stand, until {@link #close()}, or until the {@link Holdfast} is closed. After a loss, and through outages
     * of the store, it goes on standing.
     *
     * @throws IllegalStateException if it stands already, or is closed
     */
    void stand(Listener listener);

    /** Is this the leader at this moment? */
    boolean isLeader();

    /** The present term; empty if this is not the leader at this moment. */
    Optional<Lease> term();

    /**
     * Ends the present term, if there is one, and stands again behind the waiting candidates. On a store without a wait queue it stands
     * again after 2 s, or after {@code leaseTime} if that is shorter, so that the others, which poll, can be elected before.
     *
     * @return completes when the listener has been told and the store has been asked to let others in. Do not wait for it
     *     inside the listener, which is not told anything before it returns
     */
    CompletableFuture<Void> resign();

    /** Ends the present term, as {@link #resign()} does, and stands no more. Returns at once. */
    @Override
    void close();
}
