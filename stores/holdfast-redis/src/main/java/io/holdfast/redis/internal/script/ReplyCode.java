package io.holdfast.redis.internal.script;

import java.util.List;

/** The first element of a reply of {@code acquire.lua}. The scripts use these constants by {@link #luaName()}. */
public enum ReplyCode {
    /** An attempt that does not fit into the capacity that is free. */
    DOES_NOT_FIT(0),
    /** The claim is a holder. */
    GRANTED(1),
    /** The claim is in the wait queue. */
    QUEUED(2),
    /** The claim's wakeup channel has no subscriber, so the claim was not put into the queue. */
    NOT_SUBSCRIBED(3),
    /** The name is in use with another capacity. */
    OTHER_CAPACITY(4),
    /** The claim has a tombstone. */
    ENDED(5),
    /** The key is no hash, or has another layout. All scripts that write reply it. */
    FOREIGN_KEY(6);

    private final long code;

    ReplyCode(long code) {
        this.code = code;
    }

    /** The number in the reply. */
    public long code() {
        return code;
    }

    /** The constant's name in the scripts. */
    String luaName() {
        return "REPLY_" + name();
    }

    static ReplyCode of(List<Object> reply) {
        for (ReplyCode each : values()) {
            if (reply.get(0).equals(each.code)) {
                return each;
            }
        }
        throw new IllegalStateException("Unknown reply of the acquire script: " + reply);
    }
}
