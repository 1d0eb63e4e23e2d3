package io.holdfast.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Five apples, two customers who want three, and the one interleaving that gives both of them what they want. */
class LostUpdateTest {

    private final ExecutorService customers = Executors.newFixedThreadPool(2);

    @AfterEach
    void goHome() {
        customers.shutdownNow();
    }

    @Test
    void bothCustomersAreServedWithoutAGuard() throws Exception {
        assertThatSixOfFiveApplesAreSold(UnguardedShop::new);
    }

    @Test
    void bothCustomersAreServedWhenTheBlockIsLeftBeforeTheCommit() throws Exception {
        assertThatSixOfFiveApplesAreSold(LateCommitShop::new);
    }

    private void assertThatSixOfFiveApplesAreSold(Function<AppleStock, Shop> opening) throws Exception {
        try (Shop shop = opening.apply(new AppleStock(5, commitsMeet()))) {
            Callable<Boolean> customer = () -> shop.sell(3);

            for (Future<Boolean> served : customers.invokeAll(List.of(customer, customer))) {
                assertThat(served.get()).isTrue();
            }
            assertThat(shop.left()).isEqualTo(2);
        }
    }

    /** A round trip on which a thread's second call, the commit, waits for the other thread to have read. */
    private static Runnable commitsMeet() {
        Set<Thread> readers = ConcurrentHashMap.newKeySet();
        CyclicBarrier bothHaveRead = new CyclicBarrier(2);
        return () -> {
            if (readers.add(Thread.currentThread())) {
                return;
            }
            try {
                bothHaveRead.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new AssertionError("The other customer had to wait until this one had committed", e);
            }
        };
    }
}
