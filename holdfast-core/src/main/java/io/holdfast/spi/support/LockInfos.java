package io.holdfast.spi.support;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Claim;
import java.time.Duration;
import java.util.List;

/** Makes a {@link LockInfo} of what a store keeps: units and a capacity. */
public final class LockInfos {

    private LockInfos() {}

    /** The description of a name with that capacity. */
    public static LockInfo of(
            String name, int capacity, List<LockInfo.Holder> holders, int waiters, List<LockInfo.Waiting> queue) {
        LockInfo.Kind kind = kind(capacity);
        int permits = kind == LockInfo.Kind.READ_WRITE_LOCK ? 0 : capacity;
        return new LockInfo(name, kind, permits, holders, waiters, queue);
    }

    /** A claim that holds {@code units} of a name with that capacity. */
    public static LockInfo.Holder holder(
            Owner owner, int capacity, int units, long token, int tokenCount, Duration age, Duration remaining) {
        LockInfo.Mode mode = mode(capacity, units);
        int permits = mode == LockInfo.Mode.PERMITS ? units : 1;
        return new LockInfo.Holder(owner, mode, permits, token, tokenCount, age, remaining);
    }

    /** What a name with that capacity is. */
    public static LockInfo.Kind kind(int capacity) {
        return switch (capacity) {
            case 1 -> LockInfo.Kind.LOCK;
            case Claim.READ_WRITE -> LockInfo.Kind.READ_WRITE_LOCK;
            default -> LockInfo.Kind.SEMAPHORE;
        };
    }

    /** How {@code units} of a name with that capacity are held. */
    public static LockInfo.Mode mode(int capacity, int units) {
        return switch (kind(capacity)) {
            case LOCK -> LockInfo.Mode.EXCLUSIVE;
            case READ_WRITE_LOCK -> units == capacity ? LockInfo.Mode.WRITE : LockInfo.Mode.READ;
            case SEMAPHORE -> LockInfo.Mode.PERMITS;
        };
    }
}
