package io.holdfast.traps;

import io.holdfast.spi.Environment;
import io.holdfast.testing.ManualTime;

/** The environment of a process that has crashed: clocks go on elsewhere, but none of its timers ever fires. */
record ManualTimeThatStops(ManualTime time) {

    Environment environment() {
        return new Environment(time, (task, delay) -> () -> {}, Runnable::run, () -> 0.5);
    }
}
