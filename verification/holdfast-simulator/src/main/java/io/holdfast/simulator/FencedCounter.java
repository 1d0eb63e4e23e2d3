package io.holdfast.simulator;

/** The thing that the lock guards: a number that is read, and written back one higher, behind a fence. */
final class FencedCounter {

    private long newest;
    private long value;
    private long accepted;

    /** The value, or -1 if the token is stale. Reading raises the fence, or a late write could follow the read. */
    long read(long token) {
        if (token < newest) {
            return -1;
        }
        newest = token;
        return value;
    }

    /** As a reader, who may compare its token but not raise the fence. */
    long look(long token) {
        return token < newest ? -1 : value;
    }

    boolean write(long token, long next) {
        if (token < newest) {
            return false;
        }
        newest = token;
        value = next;
        accepted++;
        return true;
    }

    /** How many accepted writes were overwritten by somebody who had not seen them. */
    long lostUpdates() {
        return accepted - value;
    }

    long accepted() {
        return accepted;
    }
}
