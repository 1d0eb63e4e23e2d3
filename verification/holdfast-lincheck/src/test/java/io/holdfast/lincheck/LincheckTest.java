package io.holdfast.lincheck;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LincheckTest {

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 9, unit = TimeUnit.MINUTES) // for those who set a larger effort
    void interleavingsDoNotBreakIt(Hunt hunt) throws Exception {
        assertThat(hunt.violation()).isEmpty();
    }

    @Test
    void bugsInWaitingAndClosingAreFound(@TempDir Path scratch) throws Exception {
        Quarry cancel = Quarry.of(Hunt.EXCLUSIVE, "acquire, acquire; release 0 | cancel 1");
        Quarry cancelOnAnyStore = Quarry.of(Hunt.TIME_LIMITED, "acquire, acquire; release 0 | cancel 1");
        Quarry cancelRead = Quarry.of(Hunt.READ_WRITE, "write, read, write; release 0 | cancel 1");
        Quarry cancelPermit = Quarry.of(Hunt.SEMAPHORE, "takeBoth, takeOne, takeOne; release 0 | cancel 1");
        Quarry close = Quarry.of(Hunt.EXCLUSIVE, "acquire; close | acquire");
        Quarry reserve = Quarry.of(Hunt.TOKEN_CLOCK, "; reserve 3 1 | reserve 2 2");

        Map<Quarry, String> found = new Mutant(scratch)
                // A lease that comes too late for its waiter is dropped.
                .with("FutureWaiter", "lease.discard();", "")
                // Waiters are sent away before newcomers are.
                .with("Shutdown", """
                                    begun = true;
                                } finally {
                                    mutex.unlock();
                                }
                                participants.forEach(this::close);
                                engine.queues().all().forEach(LocalQueue::dismissWaiters);
                        """, """
                                } finally {
                                    mutex.unlock();
                                }
                                participants.forEach(this::close);
                                engine.queues().all().forEach(LocalQueue::dismissWaiters);
                                begun = true;
                        """)
                // Two threads may reserve the same block.
                .with("TokenClock", "if (last.compareAndSet(seen, first + size - 1)) {", """
                        last.set(first + size - 1);
                        if (size > 0) {""")
                .hunted(cancel, cancelOnAnyStore, cancelRead, cancelPermit, close, reserve);

        report(found);
        // The lease is still there; it depends on the interleaving whether somebody waits for it.
        for (Quarry dropped : List.of(cancel, cancelOnAnyStore, cancelRead, cancelPermit)) {
            assertThat(found.get(dropped))
                    .containsAnyOf("a local queue stayed behind", "somebody waits, and nobody holds");
        }
        assertThat(found.get(close)).contains("somebody waits, and nobody holds");
        assertThat(found.get(reserve)).contains("Invalid execution results");
    }

    @Test
    void bugsInLeasesAndTheStoreAreFound(@TempDir Path scratch) throws Exception {
        Quarry register = Quarry.of(Hunt.HELD_LEASE, "; onLost | onLost, expire");
        Quarry interrupt = Quarry.of(Hunt.INTERRUPTIBLE_BODY, "; run, somethingElse | interrupt");
        Quarry change = Quarry.of(Hunt.MEMORY_STORE, "acquire 0, acquire 1; release 0 | tryAcquire 2, inspect");

        Map<Quarry, String> found = new Mutant(scratch)
                // One of two callbacks that are registered at the same time is forgotten.
                .with("HeldLease", """
                                while (!ON_LOST.compareAndSet(this, earlier, new OnLost(callback, earlier))) {
                                    earlier = onLost;
                                }
                        """, """
                                onLost = new OnLost(callback, earlier);
                        """)
                // The body may end between the look and the interrupt.
                .with(
                        "InterruptibleBody",
                        "if (stage.compareAndSet(Stage.RUNNING, Stage.INTERRUPTING)) {",
                        "if (stage.get() == Stage.RUNNING) {")
                // Two changes of one name may overlap.
                .with("MemoryStore", """
                                    space.ledgers.compute(lockName, change);
                        """, """
                                    Ledger next = change.apply(lockName, space.ledgers.get(lockName));
                                    if (next == null) {
                                        space.ledgers.remove(lockName);
                                    } else {
                                        space.ledgers.put(lockName, next);
                                    }
                        """)
                .hunted(register, interrupt, change);

        report(found);
        assertThat(found.get(register)).contains("LOST, and a callback ran 0 times");
        assertThat(found.get(interrupt)).contains("interrupted after its end");
        assertThat(found.get(change)).contains("Invalid execution results");
    }

    @Test
    void bugsInCountingAreFound(@TempDir Path scratch) throws Exception {
        Quarry handOver = Quarry.of(Hunt.EXCLUSIVE, "acquire, acquire; release 0 | cancel 1");
        Quarry readAndWrite = Quarry.of(Hunt.READ_WRITE, "; write | read");
        Quarry permits = Quarry.of(Hunt.SEMAPHORE, "takeOne; release 0 | takeBoth");

        Map<Quarry, String> found = new Mutant(scratch)
                // Tokens shrink from lease to lease.
                .with("HeldGrant", "return firstToken + used++;", "return firstToken + tokens - ++used;")
                // The store has one unit more than it should.
                .with("Ledger", "claim.units() <= claim.capacity();", "claim.units() <= claim.capacity() + 1;")
                .hunted(handOver, readAndWrite, permits);

        report(found);
        assertThat(found.get(handOver)).contains("is HELD although there was");
        assertThat(found.get(readAndWrite)).contains("1001 of 1000 are HELD");
        assertThat(found.get(permits)).contains("3 of 2 are HELD");
    }

    /** Which violations, without the long way to them. */
    private static void report(Map<Quarry, String> found) {
        found.forEach((quarry, violation) -> {
            System.out.println(quarry.hunt() + ", " + quarry.scenario().text());
            violation
                    .lines()
                    .takeWhile(line -> !line.contains("interleaving leads to"))
                    .filter(line -> line.matches("[=|#].*"))
                    .forEach(line -> System.out.println("  " + line));
        });
    }
}
