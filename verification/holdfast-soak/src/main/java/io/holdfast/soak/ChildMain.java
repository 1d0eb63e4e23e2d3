package io.holdfast.soak;

import io.holdfast.StoreUnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A team in a process of its own. It reports by lines, and is told by lines: {@code stop}, {@code take}, {@code close}, each
 * answered when it is done. It ends with its input, so it does not outlive the one that has started it.
 */
final class ChildMain {

    static final String ANSWER = "=";

    private ChildMain() {}

    /** Arguments: name, store, prefix of the names, URL of the locks, URL of the data, threads, seed. */
    public static void main(String[] args) throws IOException {
        Logger.getLogger("").setLevel(Level.OFF);
        Printer journal = new Printer(System.out);
        Store store = Store.of(args[1]);
        Locker locker = locker(store, args[3], args[0], journal);
        Team team = new Team(args[0], store.names(args[2]), locker, store.data(args[4]), journal);
        team.start(Integer.parseInt(args[5]), new SplittableRandom(Long.parseLong(args[6])), Worker.Habits.CAREFUL);
        journal.answer("start");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = in.readLine(); order != null; order = in.readLine()) {
            switch (order) {
                case "getOn" -> team.getsOn();
                case "stop" -> team.stop();
                case "take" -> team.takesEverything(false);
                case "close" -> team.close();
                default -> journal.violation("Unknown order " + order);
            }
            journal.answer(order);
        }
        // Whatever still runs: nobody listens any more.
        Runtime.getRuntime().halt(0);
    }

    /** It may be started at a time when nobody answers; but if nobody does for long, whoever has started it may be gone. */
    private static Locker locker(Store store, String url, String label, Journal journal) {
        long start = System.nanoTime();
        while (true) {
            try {
                return store.locker(url, label);
            } catch (StoreUnavailableException | IllegalStateException unreachable) {
                if (System.nanoTime() - start > Team.PATIENCE.toNanos()) {
                    throw unreachable;
                }
                journal.count("a process could not connect at first");
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }
}
