package io.holdfast.soak;

import java.util.Locale;

/** What can go wrong. Short is shorter than the shortest lease, long is longer than the longest. */
enum Fault {
    CUT_ALL_CONNECTIONS,
    LOSE_A_REPLY,
    LOSE_A_REQUEST,
    REFUSE_CONNECTIONS,
    SWALLOW_CONNECTIONS,
    KILL_PUBSUB_CONNECTIONS,
    STALL_REQUESTS_SHORT,
    STALL_REQUESTS_LONG,
    STALL_REPLIES_SHORT,
    STALL_REPLIES_LONG,
    DELAY_ALL,
    PAUSE_SERVER_SHORT,
    PAUSE_SERVER_LONG,
    RESTART_SERVER,
    SCRIPT_FLUSH,
    FLUSHALL,
    KILL_SESSIONS,
    LOCK_TABLE_SHORT,
    LOCK_TABLE_LONG,
    KILL_A_PROCESS,
    PAUSE_A_PROCESS;

    boolean needsChildren() {
        return this == KILL_A_PROCESS || this == PAUSE_A_PROCESS;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
