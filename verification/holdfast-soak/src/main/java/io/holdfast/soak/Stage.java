package io.holdfast.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The place and the processes of one round, and what can be done to them. */
final class Stage implements AutoCloseable {

    private final Place place;
    private final List<Child> children = new ArrayList<>();

    Stage(Place place) {
        this.place = place;
    }

    Place place() {
        return place;
    }

    List<Child> children() {
        return children;
    }

    /** Does it, and returns when it is over. */
    void cause(Fault fault, Random dice) {
        switch (fault) {
            case KILL_A_PROCESS -> {
                Child child = any(dice);
                child.kill();
                child.start();
            }
            case PAUSE_A_PROCESS -> any(dice).pause(Length.LONG.any(dice));
            default -> place.cause(fault, dice);
        }
    }

    /** Nothing fails from now on. */
    void heal() {
        place.heal();
        for (Child child : children) {
            child.awaitStart();
        }
    }

    private Child any(Random dice) {
        return children.get(dice.nextInt(children.size()));
    }

    @Override
    public void close() {
        children.forEach(Child::close);
        place.close();
    }
}
