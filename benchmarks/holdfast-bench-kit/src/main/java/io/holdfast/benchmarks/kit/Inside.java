package io.holdfast.benchmarks.kit;

import java.io.Serializable;
import java.util.function.Supplier;

/** What is done under the lock. */
@FunctionalInterface
public interface Inside extends Serializable {

    Inside NOTHING = new Nothing();

    /** Connects to the server at that address, once in a JVM; what comes out makes work for one thread at a time. */
    Supplier<Runnable> open(String address);

    /** See {@link #NOTHING}. */
    record Nothing() implements Inside {

        @Override
        public Supplier<Runnable> open(String address) {
            return () -> () -> {};
        }
    }
}
