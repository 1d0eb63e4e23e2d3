package io.holdfast.lab;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Customers who all want apples from one shop at the same time.
 *
 * @param rounds how often the crowd comes; each time to a new shop with a full stock
 * @param stock apples per round
 * @param customers customers per round
 * @param appetite apples per customer
 * @param threads how many customers are in the shop at once
 * @param roundTrip how far away the stock is
 */
record Crowd(int rounds, int stock, int customers, int appetite, int threads, Duration roundTrip) {

    /** Sends the crowd to {@code strategy} and counts. */
    Tally visit(Strategy strategy) throws InterruptedException {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            Tally tally = Tally.NOTHING;
            for (int round = 0; round < rounds; round++) {
                try (Shop shop = strategy.open(new AppleStock(stock, roundTrip))) {
                    tally = tally.plus(visit(shop, executor));
                }
            }
            return tally;
        } finally {
            executor.shutdownNow();
        }
    }

    private Tally visit(Shop shop, ExecutorService executor) throws InterruptedException {
        CyclicBarrier start = new CyclicBarrier(threads);
        AtomicInteger arrived = new AtomicInteger();
        AtomicInteger served = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        Callable<Void> till = () -> {
            start.await();
            while (arrived.getAndIncrement() < customers) {
                try {
                    if (shop.sell(appetite)) {
                        served.incrementAndGet();
                    }
                } catch (RuntimeException | TimeoutException e) {
                    failed.incrementAndGet();
                }
            }
            return null;
        };
        long commands = shop.commands();
        long begin = System.nanoTime();
        for (Future<Void> end : executor.invokeAll(Collections.nCopies(threads, till))) {
            try {
                end.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException("A till broke down", e.getCause());
            }
        }
        Duration elapsed = Duration.ofNanos(System.nanoTime() - begin);
        return new Tally(
                stock,
                served.get(),
                served.get() * appetite,
                shop.left(),
                failed.get(),
                elapsed,
                shop.commands() - commands);
    }
}
