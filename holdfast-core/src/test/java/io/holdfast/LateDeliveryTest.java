package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.monitoring.LockEvent;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Moment;
import io.holdfast.spi.Ticker;
import io.holdfast.testing.FaultyStore;
import io.holdfast.testing.ManualTime;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A waiter that is woken, or called back, after its lease is over does not get that lease. */
class LateDeliveryTest {

    @Test
    void futureThatTheExecutorCompletesTooLateGetsAnotherLease() {
        try (TwoProcesses processes = new TwoProcesses()) {
            Lease first = processes.here.lock("a").acquire();
            CompletableFuture<Lease> waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
            first.close();
            // The process is paused between the hand-over and the callback.
            processes.time.pause(Duration.ofSeconds(11));
            processes.time.runCallbacks();
            processes.time.pass(Duration.ofSeconds(1));

            assertThat(waiter).isCompleted();
            assertThat(waiter.join().state()).isEqualTo(LeaseState.HELD);
            assertThat(waiter.join().token()).isGreaterThan(first.token() + 1);
        }
    }

    /** The in-JVM store grants without a round trip, from the time that it is given. */
    @Test
    void futureOnAnInJvmStoreGetsAnotherLeaseToo() {
        ManualTime time = new ManualTime();
        try (Holdfast holdfast = Holdfast.builder("memory:" + UUID.randomUUID())
                .environment(time.environment())
                .shutdownGrace(Duration.ZERO)
                .build()) {
            Lease first = holdfast.lock("a").acquire();
            CompletableFuture<Lease> waiter = holdfast.lock("a").acquireAsync(LockOptions.FOREVER);
            first.close();
            time.pause(Duration.ofSeconds(11));
            time.runCallbacks();

            assertThat(waiter).isCompleted();
            assertThat(waiter.join().state()).isEqualTo(LeaseState.HELD);
        }
    }

    /** The store has answered, so it is not unavailable, however late the process finds that. */
    @Test
    void attemptWhoseLeaseIsOverIsMadeAgain() {
        try (TwoProcesses processes = new TwoProcesses()) {
            LockOptions brief = LockOptions.builder()
                    .leaseTime(Duration.ofSeconds(2))
                    .maxWait(Duration.ofSeconds(2))
                    .build();
            CompletableFuture<Object> late = new CompletableFuture<>();
            AtomicReference<CompletableFuture<?>> executed = new AtomicReference<>();
            processes.store.answers = answer -> {
                executed.set(answer);
                return late;
            };
            CompletableFuture<Optional<Lease>> attempt =
                    processes.here.lock("a", brief).tryAcquireAsync();
            processes.store.answers = answer -> answer;
            late.complete(Objects.requireNonNull(executed.get()).join());
            // The process is paused between the answer and the callback.
            processes.time.pause(Duration.ofSeconds(3));
            processes.time.runCallbacks();

            assertThat(attempt).isCompleted();
            assertThat(attempt.join())
                    .hasValueSatisfying(lease -> assertThat(lease.state()).isEqualTo(LeaseState.HELD));
        }
    }

    @Test
    void futureThatWasCancelledMeanwhileLeavesNothingBehind() {
        try (TwoProcesses processes = new TwoProcesses()) {
            Lease first = processes.here.lock("a").acquire();
            CompletableFuture<Lease> waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
            first.close();
            processes.time.pause(Duration.ofSeconds(11));
            waiter.cancel(false);
            processes.time.pass(Duration.ofSeconds(1));

            assertThat(processes.there.lock("a").tryAcquire()).isPresent();
        }
    }

    @Test
    void threadThatIsWokenTooLateWaitsForAnotherLease() throws Exception {
        ManualTime time = new ManualTime();
        AtomicReference<Thread> sleepy = new AtomicReference<>();
        AtomicBoolean released = new AtomicBoolean();
        Ticker ticker = new Ticker() {
            @Override
            public long nanos() {
                return time.nanos();
            }

            @Override
            public long wallMicros() {
                return time.wallMicros();
            }

            /** The first look of the waiter at the clock after the hand-over finds that its machine was paused. */
            @Override
            public Moment now() {
                if (Thread.currentThread().equals(sleepy.get()) && released.getAndSet(false)) {
                    time.pause(Duration.ofSeconds(11));
                }
                return new Moment(nanos(), wallMicros());
            }
        };
        Environment environment = new Environment(ticker, time, Runnable::run, () -> 0.5);
        FaultyStore store = new FaultyStore(new MemoryStoreProvider().open("memory:" + UUID.randomUUID(), environment));
        CompletableFuture<LockEvent> waiting = new CompletableFuture<>();
        try (Holdfast holdfast = Holdfast.builder(store)
                .environment(environment)
                .shutdownGrace(Duration.ZERO)
                .listener(event -> {
                    if (event.kind() == LockEvent.Kind.WAITING) {
                        waiting.complete(event);
                    }
                })
                .build()) {
            Lease first = holdfast.lock("a").acquire();
            CompletableFuture<LeaseState> state = CompletableFuture.supplyAsync(() -> {
                sleepy.set(Thread.currentThread());
                Lease lease = holdfast.lock("a").acquire(LockOptions.FOREVER);
                LeaseState present = lease.state();
                lease.close();
                return present;
            });
            waiting.get(20, TimeUnit.SECONDS);
            Thread waiter = Objects.requireNonNull(sleepy.get());
            while (waiter.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            released.set(true);
            first.close();

            assertThat(state.get(20, TimeUnit.SECONDS)).isEqualTo(LeaseState.HELD);
            assertThat(released).as("the pause has happened").isFalse();
        }
    }
}
