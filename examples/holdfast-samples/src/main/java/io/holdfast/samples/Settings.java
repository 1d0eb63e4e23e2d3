package io.holdfast.samples;

// region options
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.monitoring.LockEvent;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
// endregion

/** How a Holdfast and its locks are set up. */
public final class Settings {

    private Settings() {}

    /** Options of one lock. */
    public static LockOptions nightly() {
        // region options
        LockOptions nightly = LockOptions.builder()
                .maxWait(Duration.ofMinutes(1))
                .leaseTime(Duration.ofSeconds(30))
                .maxHold(Duration.ofMinutes(10))
                .label("nightly report")
                .build();
        // endregion
        return nightly;
    }

    /** Settings of the whole. */
    public static Holdfast open(Executor pool, LongAdder lost) {
        // region builder
        Holdfast holdfast = Holdfast.builder("memory:orders")
                .label("orders")
                .defaults(LockOptions.builder().maxWait(Duration.ofSeconds(5)).build())
                .executor(pool)
                .listener(event -> {
                    if (event.kind() == LockEvent.Kind.LOST) {
                        lost.increment();
                    }
                })
                .localHandOff(16, Duration.ofMillis(20))
                .warnAfter(Duration.ofSeconds(30))
                .shutdownGrace(Duration.ofSeconds(10))
                .build();
        // endregion
        return holdfast;
    }
}
