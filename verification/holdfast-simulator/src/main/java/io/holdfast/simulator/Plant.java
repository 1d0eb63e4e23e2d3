package io.holdfast.simulator;

/** A bug that is put into the simulated store on purpose, to show that the simulator finds it. */
public enum Plant {
    /** A correct store. */
    NONE,
    /** Releasing frees the name, whoever holds it. */
    RELEASE_WITHOUT_OWNER_CHECK,
    /** The client counts a lease from the moment the answer arrived. */
    DEADLINE_FROM_REPLY,
    /** Renewing a claim that has expired writes it down again, over its successor. */
    RENEWAL_REVIVES,
    /** A stale acquire of a claim that was released is granted. */
    NO_TOMBSTONE,
    /** Tokens are counted from one again after the name was idle. */
    TOKENS_RESTART,
    /** Leases end a little early on the server. */
    EXPIRES_EARLY,
    /** A claim that waits is forgotten when a wake-up is sent: if that is lost, so is its turn. */
    WAKE_UP_IS_ALL,
    /** A claim that arrives is granted if it fits, although others wait. */
    NEWCOMERS_OVERTAKE_THE_QUEUE,
    /** The first queued claim that fits is granted, not the head. */
    SMALL_CLAIMS_OVERTAKE_A_LARGE_ONE,
    /** The units of a released claim become free twice. */
    RELEASED_PERMIT_COUNTED_TWICE,
    /** The units of an expired claim become free twice. */
    EXPIRED_PERMIT_COUNTED_TWICE,
    /** A claim needs one free unit, however many it takes. */
    EVERY_CLAIM_COUNTED_AS_ONE,
    /** Every renewal of a writer that became a reader frees the writer's units once more. */
    DOWNGRADE_IS_COUNTED_AGAIN
}
