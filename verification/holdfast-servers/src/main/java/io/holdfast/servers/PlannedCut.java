package io.holdfast.servers;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A cut that a {@link TcpProxy} makes once, at the next request that contains a pattern. */
public final class PlannedCut {

    static final int LONGEST_PATTERN = 256;

    /** What the cut takes away. */
    enum Loss {
        REQUEST,
        REPLY
    }

    private final Loss loss;
    private final byte[] pattern;
    private final AtomicBoolean claimed = new AtomicBoolean();
    private final CountDownLatch happened = new CountDownLatch(1);

    PlannedCut(Loss loss, String pattern) {
        this.loss = loss;
        this.pattern = pattern.getBytes(StandardCharsets.UTF_8);
        if (this.pattern.length > LONGEST_PATTERN) {
            throw new IllegalArgumentException("longer than " + LONGEST_PATTERN + " bytes: " + pattern);
        }
    }

    /** Whether the connection has been cut. */
    public boolean happened() {
        return happened.getCount() == 0;
    }

    /** Waits until the connection has been cut. */
    public void await(Duration limit) {
        try {
            if (!happened.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new ServerException("After " + limit + ": no request to be cut");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new ServerException("Interrupted: no request to be cut", interrupted);
        }
    }

    /** Calls the cut off, unless a request has met it already. */
    public void cancel() {
        claimed.set(true);
    }

    boolean loses(Loss what) {
        return loss == what;
    }

    boolean isClaimed() {
        return claimed.get();
    }

    /** Takes the cut for the connection that asks, if the pattern ends within the new bytes; no other connection gets it then. */
    boolean claim(byte[] before, byte[] bytes) {
        return endsWithin(before, bytes) && claimed.compareAndSet(false, true);
    }

    void done() {
        happened.countDown();
    }

    private boolean endsWithin(byte[] before, byte[] bytes) {
        for (int end = 1; end <= bytes.length; end++) {
            if (endsAt(end, before, bytes)) {
                return true;
            }
        }
        return false;
    }

    private boolean endsAt(int end, byte[] before, byte[] bytes) {
        for (int i = 1; i <= pattern.length; i++) {
            int at = end - i;
            if (before.length + at < 0) {
                return false;
            }
            byte there = at >= 0 ? bytes[at] : before[before.length + at];
            if (there != pattern[pattern.length - i]) {
                return false;
            }
        }
        return true;
    }
}
