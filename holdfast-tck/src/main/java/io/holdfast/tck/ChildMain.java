package io.holdfast.tck;

import io.holdfast.spi.Grant;
import io.holdfast.spi.StoreProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A process that competes for a name with others, started by {@link ProcessContention}. It is given its orders on standard input,
 * prints what happened when it is done, and ends when standard input does: with the process that started it, at the latest.
 */
final class ChildMain {

    /** Before every line that is for the parent; other lines are of libraries that log to the console. */
    static final String PREFIX = "holdfast-tck:";

    static final String READY = "ready";
    static final String GO = "go";
    static final String DONE = "done";

    /** What a child does at the end. */
    enum Fate {
        /** It ends in good order. */
        ENDS,
        /** It stops without warning and with a lease. */
        DIES_HOLDING
    }

    /**
     * What a child is told.
     *
     * @param who for messages
     * @param provider the name of the class that opens the store
     * @param url what that is given
     * @param name the lock to compete for
     * @param patience how long to wait for what must come
     * @param time how long to compete
     * @param lease how long the lease of one that dies with it lasts
     * @param fate what to do at the end
     */
    record Orders(
            String who,
            String provider,
            String url,
            String name,
            Duration patience,
            Duration time,
            Duration lease,
            Fate fate) {

        List<String> toLines() {
            return List.of(
                    who, provider, url, name, patience.toString(), time.toString(), lease.toString(), fate.name());
        }

        static Orders read(BufferedReader in) throws IOException {
            return new Orders(
                    in.readLine(),
                    in.readLine(),
                    in.readLine(),
                    in.readLine(),
                    Duration.parse(in.readLine()),
                    Duration.parse(in.readLine()),
                    Duration.parse(in.readLine()),
                    Fate.valueOf(in.readLine()));
        }
    }

    private ChildMain() {}

    public static void main(String[] arguments) {
        try {
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            compete(in, new PrintStream(System.out, true, StandardCharsets.UTF_8));
            System.exit(0);
        } catch (Exception | Error failure) {
            // Its threads would keep the process alive.
            failure.printStackTrace();
            System.exit(1);
        }
    }

    private static void compete(BufferedReader in, PrintStream out) throws Exception {
        Orders orders = Orders.read(in);
        var constructor =
                Class.forName(orders.provider()).asSubclass(StoreProvider.class).getDeclaredConstructor();
        constructor.setAccessible(true);
        StoreProvider provider = constructor.newInstance();
        CommonClock clock = CommonClock.ofThisProcess();
        try (Client client =
                new Client(orders.who(), orders.patience(), environment -> provider.open(orders.url(), environment))) {
            out.println(PREFIX + READY);
            if (!GO.equals(in.readLine())) {
                throw new IllegalStateException("The parent process has ended, or gives another order than to go.");
            }
            endWith(in);
            ProcessTurns turns = new ProcessTurns(orders.who(), orders.name(), client);
            turns.takeTurns(orders.time());
            if (orders.fate() == Fate.DIES_HOLDING) {
                Grant grant = turns.acquire(orders.lease());
                turns.diesWith(grant);
                report(turns.recorded(clock), out);
                Runtime.getRuntime().halt(0);
            }
            report(turns.recorded(clock), out);
        }
    }

    private static void report(HistoryLines history, PrintStream out) {
        history.toLines().forEach(line -> out.println(PREFIX + line));
        out.println(PREFIX + DONE);
        out.flush();
    }

    /** A child whose parent is gone has nobody to report to. */
    private static void endWith(BufferedReader in) {
        Thread watch = new Thread(
                () -> {
                    try {
                        while (in.readLine() != null) {
                            // No order comes any more.
                        }
                    } catch (IOException closed) {
                        // The end, too.
                    }
                    Runtime.getRuntime().halt(2);
                },
                "tck-parent-watch");
        watch.setDaemon(true);
        watch.start();
    }
}
