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
import java.util.concurrent.atomic.AtomicLong;

/**
 * Customers who all want apples from one shop at the same time.
 *
 * @param rounds how often the crowd comes; each time to a new shop with a full stock
 * @param stock apples per round
 * @param customers customers per round
 * @param appetite apples per customer
 * @param threads how many customers are in the shop at once
 * @param roundTrip the time that one access to the stock takes
 */
record Crowd(int rounds, int stock, int customers, int appetite, int threads, Duration roundTrip) {

    /** Sends the crowd to {@code strategy}, each time to a new stock in this process, and counts. */
    Tally visit(Strategy strategy) throws InterruptedException {
        Tally tally = Tally.NOTHING;
        for (int round = 0; round < rounds; round++) {
            try (Shop shop = strategy.open(new AppleStock(stock, roundTrip))) {
                tally = tally.plus(visit(shop));
            }
        }
        return tally;
    }

    /** Sends the crowd to {@code shop}, once, and counts. */
    Tally visit(Shop shop) throws InterruptedException {
        AtomicLong begin = new AtomicLong();
        CyclicBarrier start = new CyclicBarrier(threads, () -> begin.set(System.nanoTime()));
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
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            for (Future<Void> end : executor.invokeAll(Collections.nCopies(threads, till))) {
                end.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("A till broke down", e.getCause());
        } finally {
            executor.shutdownNow();
        }
        return new Tally(
                stock,
                served.get(),
                served.get() * appetite,
                shop.left(),
                failed.get(),
                Duration.ofNanos(System.nanoTime() - begin.get()),
                shop.commands() - commands);
    }

    /** One of several equal parts, for one of as many processes. */
    Crowd part(int parts) {
        return new Crowd(rounds, stock, customers / parts, appetite, threads / parts, roundTrip);
    }

    /** This crowd as text for {@link #parse}. */
    String line() {
        return rounds + " " + stock + " " + customers + " " + appetite + " " + threads + " " + roundTrip;
    }

    static Crowd parse(String line) {
        String[] words = line.split(" ", -1);
        return new Crowd(
                Integer.parseInt(words[0]),
                Integer.parseInt(words[1]),
                Integer.parseInt(words[2]),
                Integer.parseInt(words[3]),
                Integer.parseInt(words[4]),
                Duration.parse(words[5]));
    }
}
