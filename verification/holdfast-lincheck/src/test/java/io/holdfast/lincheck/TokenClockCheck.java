package io.holdfast.lincheck;

import io.holdfast.internal.memory.TokenClock;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/** Blocks of tokens are as if they had been reserved one after the other: so they never overlap. */
@Param(name = "wanted", gen = IntGen.class, conf = "1:3")
@Param(name = "micros", gen = IntGen.class, conf = "1:4")
public class TokenClockCheck implements Check {

    private final TokenClock clock = new TokenClock();

    @Operation
    public TokenClock.Block reserve(@Param(name = "wanted") int wanted, @Param(name = "micros") int micros) {
        return clock.reserve(wanted, micros);
    }

    @Override
    public void settle() {
        // Lincheck compares with the same operations in one thread.
    }

    @Override
    public void rehearse() {
        reserve(1, 1);
    }
}
