package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Inside;
import java.util.function.Supplier;

/** Reads a number from the server and writes the next one, over a plain connection. Loses updates if two do it at once. */
record GetAndSet() implements Inside {

    @Override
    public Supplier<Runnable> open(String address) {
        DataKey data = new DataKey(Integer.parseInt(address));
        return () -> data::increment;
    }
}
