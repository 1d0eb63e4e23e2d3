package io.holdfast.soak;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Faults by dice, but each comes once before one comes again. */
final class Deck {

    private final Random dice;
    private final Set<Fault> faults;
    private final List<Fault> left = new ArrayList<>();

    Deck(long seed, Set<Fault> faults) {
        this.dice = new Random(seed);
        this.faults = faults;
    }

    Fault draw() {
        if (left.isEmpty()) {
            left.addAll(faults);
            Collections.shuffle(left, dice);
        }
        return left.remove(left.size() - 1);
    }

    Random dice() {
        return dice;
    }
}
