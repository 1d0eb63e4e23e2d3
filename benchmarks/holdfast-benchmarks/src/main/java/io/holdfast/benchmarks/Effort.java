package io.holdfast.benchmarks;

import java.time.Duration;

/** How long one measurement takes. */
enum Effort {
    /** For a look while working: too short for a page. */
    QUICK(3, Duration.ofSeconds(2), Duration.ofSeconds(1)),
    FULL(5, Duration.ofSeconds(2), Duration.ofMillis(1_500));

    private final int rounds;
    private final Duration warmUp;
    private final Duration measurement;

    Effort(int rounds, Duration warmUp, Duration measurement) {
        this.rounds = rounds;
        this.warmUp = warmUp;
        this.measurement = measurement;
    }

    /** How many rounds there are unless somebody says otherwise. */
    int rounds() {
        return rounds;
    }

    Duration warmUp() {
        return warmUp;
    }

    Duration measurement() {
        return measurement;
    }
}
