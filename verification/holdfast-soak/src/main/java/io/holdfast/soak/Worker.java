package io.holdfast.soak;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseState;
import io.holdfast.LockTimeoutException;
import io.holdfast.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** One thread of a process: takes something, works for a while, gives it back; over and over. */
final class Worker implements Runnable {

    /** How much later than promised an answer may be: a machine may be busy, and a process may have been paused. */
    private static final Duration LATENESS = Duration.ofSeconds(20);

    private static final long LOOK_MILLIS = 5;

    private final String name;
    private final Names names;
    private final Locker locker;
    private final Data data;
    private final Journal journal;
    private final SplittableRandom dice;
    private final Habits habits;
    private final AtomicLong done = new AtomicLong();
    private volatile boolean stopping;

    /** How somebody works who holds a lock. */
    enum Habits {
        /** Stops when the lease is lost, and mostly before it would be. */
        CAREFUL,
        /** Often works for longer than its lease, which nobody renews, and never looks whether it still has it. */
        CARELESS
    }

    Worker(String name, Names names, Locker locker, Data data, Journal journal, SplittableRandom dice, Habits habits) {
        this.name = name;
        this.names = names;
        this.locker = locker;
        this.data = data;
        this.journal = journal;
        this.dice = dice;
        this.habits = habits;
    }

    void stop() {
        stopping = true;
    }

    /** How many turns it has taken. */
    long done() {
        return done.get();
    }

    @Override
    public void run() {
        while (!stopping) {
            Wish wish = Wish.any(names, dice);
            turn(habits == Habits.CAREFUL ? wish : wish.withoutRenewal());
            done.incrementAndGet();
            pause(dice.nextInt(20));
        }
    }

    private void turn(Wish wish) {
        long called = System.nanoTime();
        try {
            Optional<Locker.Possession> possession = locker.obtain(wish);
            long returned = System.nanoTime();
            inTime(wish, called, returned);
            if (possession.isEmpty()) {
                journal.count("not to be had: " + wish.way());
                return;
            }
            try {
                section(wish, possession.get().leases(), called);
            } finally {
                long giving = System.nanoTime();
                possession.get().giveBack().run();
                if (System.nanoTime() - giving > wish.lease().plus(LATENESS).toNanos()) {
                    journal.violation("The release came back late: " + name + ", " + wish);
                }
            }
        } catch (LockTimeoutException | StoreUnavailableException | LeaseLostException expected) {
            inTime(wish, called, System.nanoTime());
            journal.count(expected.getClass().getSimpleName());
        } catch (RuntimeException | Error unexpected) {
            journal.violation("Not expected by " + name + " for " + wish + ": " + unexpected);
        }
    }

    private void inTime(Wish wish, long called, long returned) {
        Duration took = Duration.ofNanos(returned - called);
        if (took.compareTo(wish.maxWait().plus(LATENESS)) > 0) {
            journal.violation("Answered after " + took + ": " + name + ", " + wish);
        }
    }

    private void section(Wish wish, List<Lease> leases, long called) {
        List<Look> looks = leases.stream().map(Look::new).toList();
        List<Long> seen = new ArrayList<>();
        if (wish.role().isAlone()) {
            leases.forEach(lease -> seen.add(look(lease)));
        }
        work(length(wish), looks);
        for (int i = 0; i < seen.size(); i++) {
            if (seen.get(i) >= 0) {
                write(leases.get(i), seen.get(i));
            }
        }
        looks.forEach(Look::again);
        for (Look look : looks) {
            journal.section(new Section(
                    wish.role(),
                    look.lease.name(),
                    wish.units(),
                    look.lease.token(),
                    name,
                    called,
                    look.from,
                    look.to));
            if (!look.held) {
                journal.count("lost in the section");
            }
        }
    }

    private long look(Lease lease) {
        try {
            return data.look(lease.name(), lease.token());
        } catch (Data.OutOfReachException unreachable) {
            journal.count("data out of reach");
            return -1;
        }
    }

    /** Mostly short; now and then long enough to be renewed, and rarely longer than the lease. */
    private long length(Wish wish) {
        int kind = dice.nextInt(1_000);
        long lease = wish.lease().toMillis();
        if (habits == Habits.CARELESS && kind < 300) {
            return lease * 3 / 2;
        } else if (kind < 15) {
            return dice.nextLong(lease / 3, lease);
        } else if (kind < 20) {
            return lease * 5 / 4;
        }
        return dice.nextInt(20);
    }

    private void work(long millis, List<Look> looks) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = millis; left > 0; left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
            pause(Math.min(left, LOOK_MILLIS));
            looks.forEach(Look::again);
            if (habits == Habits.CAREFUL && looks.stream().anyMatch(look -> !look.held)) {
                return;
            }
        }
    }

    /** Even under a lease that is lost by now: to turn it away is what the fence is for. */
    private void write(Lease lease, long seen) {
        String id = name + "-" + done.get() + "-" + lease.name();
        Write.Outcome outcome = Write.Outcome.UNKNOWN;
        try {
            boolean accepted = data.append(lease.name(), new FencedWrites.Entry(lease.token(), id, seen));
            outcome = accepted ? Write.Outcome.ACCEPTED : Write.Outcome.REJECTED;
        } catch (Data.OutOfReachException unreachable) {
            journal.count("data out of reach");
        } finally {
            journal.write(new Write(lease.name(), id, lease.token(), outcome));
        }
    }

    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException("Nobody interrupts a worker", interrupted);
        }
    }

    /** When a lease was last seen to be held. The time is taken before the look, so it was held at that time. */
    private static final class Look {
        private final Lease lease;
        private final long from;
        private long to;
        private boolean held = true;

        Look(Lease lease) {
            this.lease = lease;
            this.from = System.nanoTime();
            this.to = from - 1;
            looked(from);
        }

        void again() {
            looked(System.nanoTime());
        }

        private void looked(long now) {
            LeaseState state = lease.state();
            held &= state == LeaseState.HELD || state == LeaseState.AT_RISK;
            if (held) {
                to = now;
            }
        }
    }
}
