package io.holdfast.spi;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Warnings of a store in the log, at most one in ten seconds, with a count of those left out. Thread-safe. */
public final class Complaints {

    private static final long PAUSE = TimeUnit.SECONDS.toNanos(10);

    private final System.Logger log;
    private final String store;
    private final Ticker ticker;
    private final AtomicLong next;
    private final AtomicLong leftOut = new AtomicLong();

    /** Warnings about the store of that name, which is written before each of them. */
    public Complaints(System.Logger log, String store, Ticker ticker) {
        this.log = log;
        this.store = store;
        this.ticker = ticker;
        this.next = new AtomicLong(ticker.nanos());
    }

    /** Warns, or counts if it has warned just before. */
    public void say(String what) {
        long now = ticker.nanos();
        long due = next.get();
        if (now - due < 0 || !next.compareAndSet(due, now + PAUSE)) {
            leftOut.incrementAndGet();
            return;
        }
        long silent = leftOut.getAndSet(0);
        String tail = silent == 0 ? "" : " (" + silent + " warnings were left out)";
        log.log(System.Logger.Level.WARNING, store + ": " + what + tail);
    }
}
