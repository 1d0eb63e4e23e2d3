package io.holdfast.spi;

/** The clocks of this machine. */
enum SystemTicker implements Ticker {
    INSTANCE;

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public long wallMicros() {
        return Math.multiplyExact(System.currentTimeMillis(), 1_000L);
    }
}
