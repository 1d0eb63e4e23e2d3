package io.holdfast.soak;

import io.holdfast.LockOptions;
import io.holdfast.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What somebody wants, and how long it is ready to wait for it.
 *
 * @param role as what
 * @param names of what; more than one only for a set
 * @param units how much of it
 * @param lease for how long
 * @param renewal is it kept alive meanwhile?
 * @param way how it is asked for
 * @param maxWait how long it waits
 * @param patience after which it changes its mind, if it asks by a future
 */
record Wish(
        Role role,
        List<String> names,
        int units,
        Duration lease,
        LockOptions.Renewal renewal,
        Way way,
        Duration maxWait,
        Duration patience) {

    /** How something is asked for. */
    enum Way {
        TRY,
        WAIT,
        FUTURE
    }

    static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    /** Whatever the dice say, of what there is. */
    static Wish any(Names names, SplittableRandom dice) {
        Wish wish = anyAtAll(names, dice);
        while (!names.roles().contains(wish.role())) {
            wish = anyAtAll(names, dice);
        }
        return wish;
    }

    private static Wish anyAtAll(Names names, SplittableRandom dice) {
        int kind = dice.nextInt(100);
        if (kind < 45) {
            return of(names, Role.OWNER, List.of(any(names.locks(), dice)), 1, dice);
        } else if (kind < 60) {
            List<String> set = new ArrayList<>(names.locks());
            set.remove(dice.nextInt(set.size()));
            return of(names, Role.MEMBER, set, 1, dice);
        } else if (kind < 70) {
            return of(names, Role.WRITER, List.of(any(names.tables(), dice)), Claim.READ_WRITE, dice);
        } else if (kind < 85) {
            return of(names, Role.READER, List.of(any(names.tables(), dice)), 1, dice);
        }
        return of(names, Role.PERMITS, List.of(names.pool()), 1 + dice.nextInt(2), dice);
    }

    Wish withoutRenewal() {
        return new Wish(role, names, units, lease, LockOptions.Renewal.OFF, way, maxWait, patience);
    }

    private static Wish of(Names all, Role role, List<String> names, int units, SplittableRandom dice) {
        int way = dice.nextInt(10);
        return new Wish(
                role,
                names,
                units,
                dice.nextInt(10) < 8 ? all.lease(names.get(0)) : Duration.ofMillis(dice.nextInt(1_000, 3_000)),
                dice.nextInt(10) < 8 ? LockOptions.Renewal.ON : LockOptions.Renewal.OFF,
                way < 2 ? Way.TRY : way < 7 ? Way.WAIT : Way.FUTURE,
                Duration.ofMillis(
                        dice.nextInt(4) == 0 ? dice.nextInt(1, 100) : dice.nextLong(100, LONGEST_WAIT.toMillis())),
                Duration.ofMillis(dice.nextInt(2) == 0 ? dice.nextInt(50) : LONGEST_WAIT.toMillis()));
    }

    private static String any(List<String> names, SplittableRandom dice) {
        return names.get(dice.nextInt(names.size()));
    }
}
