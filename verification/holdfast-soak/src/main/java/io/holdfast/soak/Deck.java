package io.holdfast.soak;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Faults by dice, but each comes once before one comes again. */
final class Deck {

    private final Random dice;
    private final boolean children;
    private final List<Fault> left = new ArrayList<>();

    Deck(long seed, boolean children) {
        this.dice = new Random(seed);
        this.children = children;
    }

    Fault draw() {
        if (left.isEmpty()) {
            Arrays.stream(Fault.values())
                    .filter(fault -> children || !fault.needsChildren())
                    .forEach(left::add);
            Collections.shuffle(left, dice);
        }
        return left.remove(left.size() - 1);
    }

    Random dice() {
        return dice;
    }
}
