package io.holdfast.soak;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * The command: {@code ./holdfast soak [--on STORE] [--minutes N] [--seed N]}. A seed repeats the faults and the wishes, not the moments at
 * which they meet.
 */
public final class Soak {

    private static final Logger ROOT = Logger.getLogger("");

    /** What remains of a minute is for the calm after the storm. */
    private static final Duration ROUND = Duration.ofSeconds(48);

    private Soak() {}

    public static void main(String[] args) {
        Store store;
        long seed;
        int minutes;
        try {
            Map<String, String> given = options(args);
            store = Store.of(given.getOrDefault("--on", Store.REDIS.word()));
            minutes = Math.toIntExact(number("--minutes", given.getOrDefault("--minutes", "10"), 1));
            String text = given.get("--seed");
            seed = text == null ? new Random().nextInt(1_000_000) : number("--seed", text, Long.MIN_VALUE);
        } catch (IllegalArgumentException | ArithmeticException wrong) {
            System.err.println("soak: " + wrong.getMessage());
            System.err.println("Options, each with a value: --on STORE, --minutes N, --seed N");
            System.err.println("Stores: " + Store.words());
            System.exit(2);
            return;
        }
        ROOT.setLevel(Level.OFF);
        Path log = Path.of(Files.isDirectory(Path.of("verification")) ? "verification/holdfast-soak/target" : "target")
                .resolve(store == Store.REDIS ? "soak.log" : "soak-" + store.word() + ".log");
        System.out.println(store.word() + ", seed " + seed + ", " + minutes + " min; every fault is written to " + log);
        Report report = run(Plan.of(store, seed, minutes, ROUND, 2, log));
        report.lines().forEach(System.out::println);
        System.exit(report.violations().isEmpty() ? 0 : 1);
    }

    /** Does what is planned. */
    static Report run(Plan plan) {
        Report report = new Report(plan.store(), plan.seed());
        Deck deck = new Deck(plan.seed(), plan.faults());
        try (Logbook log = new Logbook(plan.log());
                RateLimitedLog complaints = new RateLimitedLog(log)) {
            complaints.listen();
            for (int number = 1; number <= plan.rounds(); number++) {
                new Round(plan, number, deck, log, report).run();
            }
            report.lines().forEach(log::say);
        }
        return report;
    }

    private static Map<String, String> options(String[] args) {
        Map<String, String> given = new HashMap<>();
        for (int i = 0; i < args.length; i += 2) {
            if (!Set.of("--on", "--minutes", "--seed").contains(args[i])) {
                throw new IllegalArgumentException("unknown option " + args[i]);
            }
            if (i + 1 == args.length) {
                throw new IllegalArgumentException(args[i] + " needs a value");
            }
            given.put(args[i], args[i + 1]);
        }
        return given;
    }

    private static long number(String option, String text, long least) {
        try {
            long value = Long.parseLong(text);
            if (value < least) {
                throw new IllegalArgumentException(option + " must be at least " + least + ": " + text);
            }
            return value;
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException(option + " takes a whole number: " + text, notANumber);
        }
    }

    /** What Holdfast logs goes beside the faults that made it, and not to the console. */
    private static final class RateLimitedLog extends Handler implements AutoCloseable {

        private static final Logger HOLDFAST = Logger.getLogger("io.holdfast");

        private final Logbook log;

        RateLimitedLog(Logbook log) {
            this.log = log;
        }

        void listen() {
            HOLDFAST.setLevel(Level.WARNING);
            HOLDFAST.setUseParentHandlers(false);
            HOLDFAST.addHandler(this);
        }

        @Override
        public void publish(LogRecord record) {
            Throwable thrown = record.getThrown();
            log.say(record.getLevel() + " " + record.getMessage() + (thrown == null ? "" : " " + thrown));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            HOLDFAST.removeHandler(this);
            HOLDFAST.setUseParentHandlers(true);
            HOLDFAST.setLevel(null);
        }
    }
}
