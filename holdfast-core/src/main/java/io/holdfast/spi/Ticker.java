package io.holdfast.spi;

/**
 * The only source of time. {@link #nanos()} orders everything; {@link #wallMicros()} serves two narrow ends: to notice
 * that the machine slept (a suspended machine stops the monotonic clock but not the wall clock), and as the store clock
 * of stores that live in this process. It is never compared with another machine's clock.
 */
public interface Ticker {

    /** Monotonic time in nanoseconds from an arbitrary origin. */
    long nanos();

    /** Wall-clock time in microseconds since the epoch. */
    long wallMicros();

    /** The moment this ticker shows. */
    default Moment now() {
        return new Moment(nanos(), wallMicros());
    }

    /** The clocks of this machine. All tickers of one JVM made by this method agree with each other. */
    static Ticker system() {
        return SystemTicker.INSTANCE;
    }
}
