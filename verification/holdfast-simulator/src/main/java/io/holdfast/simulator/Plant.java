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
    /** A late acquire of a claim that was released is granted. */
    NO_TOMBSTONE,
    /** Tokens are counted from one again after the name was idle. */
    TOKENS_RESTART,
    /** Leases end a little early on the server. */
    EXPIRES_EARLY,
    /** A claim that waits is forgotten when a wake-up is sent: if that is lost, so is its turn. */
    WAKE_UP_IS_ALL
}
