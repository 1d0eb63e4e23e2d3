package io.holdfast.redis;

import io.holdfast.spi.Ticker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Warnings in the log, at most one in ten seconds, with a count of those left out. */
final class Complaints {

    private static final System.Logger LOG = System.getLogger(RedisStore.class.getName());
    private static final long PAUSE = TimeUnit.SECONDS.toNanos(10);

    private final String store;
    private final Ticker ticker;
    private final AtomicLong next;
    private final AtomicLong leftOut = new AtomicLong();

    Complaints(String store, Ticker ticker) {
        this.store = store;
        this.ticker = ticker;
        this.next = new AtomicLong(ticker.nanos());
    }

    void say(String what) {
        long now = ticker.nanos();
        long due = next.get();
        if (now - due < 0 || !next.compareAndSet(due, now + PAUSE)) {
            leftOut.incrementAndGet();
            return;
        }
        long silent = leftOut.getAndSet(0);
        String tail = silent == 0 ? "" : " (" + silent + " warnings were left out)";
        LOG.log(System.Logger.Level.WARNING, store + ": " + what + tail);
    }
}
