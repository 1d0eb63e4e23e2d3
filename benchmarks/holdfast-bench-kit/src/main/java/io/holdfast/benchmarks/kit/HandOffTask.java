package io.holdfast.benchmarks.kit;

import io.holdfast.benchmarks.kit.Board.Slot;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One of two processes that pass a lock to and fro: who has it waits until the other one queues for it, and gives it back.
 *
 * @param address where the server is
 * @param player 0 for who begins, 1 for the other
 * @param board the file of the {@link Board}
 * @param handOffs how many they make together
 * @param limit when they stop earlier
 */
record HandOffTask(String address, Entrant entrant, int player, String board, int handOffs, Duration limit)
        implements Task {

    /** In which a request gets from one process to the server, so that the other one really waits when it is released. */
    private static final Duration PAUSE = Duration.ofMillis(2);

    @Override
    public boolean isEarlier() {
        return entrant.isEarlier();
    }

    @Override
    public Answer run(Cue cue) throws InterruptedException {
        Board shared = new Board(Path.of(board));
        Locks locks = entrant.open(address);
        locks.warmUp();
        Guard guard = locks.guard("apples");
        cue.await();
        compareClocks(shared);
        List<Long> nanos = play(shared, guard);
        return new Answer(Map.of("nanos", nanos.stream().map(String::valueOf).collect(Collectors.joining(" "))));
    }

    /*
     * Times of two processes can be compared where System.nanoTime() reads a clock of the machine, as HotSpot does on
     * Linux. If it does, a time that was written down before another one was read is not later than it.
     */
    private void compareClocks(Board shared) {
        if (player == 0) {
            shared.set(Slot.TOTAL, handOffs);
            long before = System.nanoTime();
            shared.set(Slot.FIRST_CLOCK, before);
            inOrder(before, shared.await(Slot.SECOND_CLOCK, 1), System.nanoTime());
        } else {
            long before = shared.await(Slot.FIRST_CLOCK, 1);
            long now = System.nanoTime();
            shared.set(Slot.SECOND_CLOCK, now);
            inOrder(before, now, now);
        }
    }

    private static void inOrder(long first, long second, long third) {
        if (first > second || second > third) {
            throw new IllegalStateException("the clocks of two processes differ: " + List.of(first, second, third));
        }
    }

    private List<Long> play(Board shared, Guard guard) throws InterruptedException {
        List<Long> nanos = new ArrayList<>();
        long end = System.nanoTime() + limit.toNanos();
        for (long turn = player; turn < shared.get(Slot.TOTAL); turn += 2) {
            shared.await(Slot.GRANTED, turn);
            shared.set(Slot.ASKED, turn);
            guard.acquire();
            long now = System.nanoTime();
            if (turn > 0) {
                nanos.add(now - shared.get(Slot.RELEASED_AT));
            }
            shared.set(Slot.GRANTED, turn + 1);
            if (turn + 1 < shared.get(Slot.TOTAL)) {
                shared.await(Slot.ASKED, turn + 1);
                TimeUnit.NANOSECONDS.sleep(PAUSE.toNanos());
                if (now > end) {
                    // The other one has asked already, and is the last to be served.
                    shared.set(Slot.TOTAL, turn + 2);
                }
            }
            shared.set(Slot.RELEASED_AT, System.nanoTime());
            guard.release();
        }
        return nanos;
    }
}
