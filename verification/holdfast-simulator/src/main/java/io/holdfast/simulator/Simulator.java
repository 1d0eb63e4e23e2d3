package io.holdfast.simulator;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The command line: {@code --seed N} replays one history with everything that happens in it; {@code --seeds N} and
 * {@code --from N} run many; {@code --plant NAME} puts a bug into the store first.
 */
public final class Simulator {

    /** Held here, so that the level set on it stays. */
    private static final Logger ENGINE_LOG = Logger.getLogger("io.holdfast");

    private Simulator() {}

    /** How far a run got: the first seed that failed, if one did, and how much was simulated. */
    public record Summary(
            @Nullable Long failingSeed,
            List<String> violations,
            long histories,
            Map<Role, Long> leasesByRole,
            long writes) {

        /** Of all roles together. */
        public long leases() {
            return leasesByRole.values().stream().mapToLong(Long::longValue).sum();
        }

        /** Everything but the violations, in a line. */
        @Override
        public String toString() {
            String byRole = leasesByRole.entrySet().stream()
                    .map(each -> each.getValue() + " " + each.getKey())
                    .collect(Collectors.joining(", "));
            return histories + " histories, " + leases() + " leases (" + byRole + "), " + writes + " fenced writes";
        }
    }

    /** Runs {@code count} seeds from {@code from} on, until one fails. */
    public static Summary run(long from, long count, Plant plant) {
        Level before = ENGINE_LOG.getLevel();
        ENGINE_LOG.setLevel(Level.OFF);
        try {
            return runAll(from, count, plant);
        } finally {
            ENGINE_LOG.setLevel(before);
        }
    }

    private static Summary runAll(long from, long count, Plant plant) {
        Map<Role, Long> leases = new EnumMap<>(Role.class);
        long writes = 0;
        for (long seed = from; seed < from + count; seed++) {
            Simulation.Result result = Simulation.run(seed, plant, null);
            result.leases().forEach((role, number) -> leases.merge(role, (long) number, Long::sum));
            writes += result.writes();
            if (!result.violations().isEmpty()) {
                return new Summary(seed, result.violations(), seed - from + 1, leases, writes);
            }
        }
        return new Summary(null, List.of(), count, leases, writes);
    }

    /** Seeds that once found something. */
    public static List<Long> knownSeeds() {
        InputStream file = Simulator.class.getResourceAsStream("/known-seeds.txt");
        if (file == null) {
            throw new IllegalStateException("known-seeds.txt is not on the class path");
        }
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            return lines.lines()
                    .map(line -> line.replaceAll("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .map(Long::valueOf)
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** What to type to see a failing history again. */
    public static String replayCommand(long seed, Plant plant) {
        return "./holdfast simulate --seed " + seed + (plant == Plant.NONE ? "" : " --plant " + plant);
    }

    /** See the class. */
    public static void main(String[] args) {
        Order order;
        try {
            order = Order.parse(args);
        } catch (IllegalArgumentException wrong) {
            System.err.println("simulate: " + wrong.getMessage());
            System.err.println("Options, each with a value: --seed N | --seeds N --from N, and --plant one of "
                    + Arrays.toString(Plant.values()));
            System.exit(2);
            return;
        }
        Long replay = order.seed;
        System.exit(replay != null ? replay(replay, order.plant) : simulate(order.from, order.seeds, order.plant));
    }

    private record Order(@Nullable Long seed, long seeds, long from, Plant plant) {

        static Order parse(String[] args) {
            Map<String, String> given = new HashMap<>();
            for (int i = 0; i < args.length; i += 2) {
                if (!Set.of("--seed", "--seeds", "--from", "--plant").contains(args[i])) {
                    throw new IllegalArgumentException("unknown option " + args[i]);
                }
                if (i + 1 == args.length) {
                    throw new IllegalArgumentException(args[i] + " needs a value");
                }
                given.put(args[i], args[i + 1]);
            }
            String seed = given.get("--seed");
            return new Order(
                    seed == null ? null : number("--seed", seed, Long.MIN_VALUE),
                    number("--seeds", given.getOrDefault("--seeds", "20000"), 1),
                    number("--from", given.getOrDefault("--from", "1"), Long.MIN_VALUE),
                    plant(given.getOrDefault("--plant", "NONE")));
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

        private static Plant plant(String text) {
            try {
                return Plant.valueOf(text);
            } catch (IllegalArgumentException unknown) {
                throw new IllegalArgumentException("there is no bug called " + text, unknown);
            }
        }
    }

    private static int replay(long seed, Plant plant) {
        ENGINE_LOG.setLevel(Level.OFF);
        StringBuilder trace = new StringBuilder();
        Simulation.Result result = Simulation.run(seed, plant, trace);
        System.out.print(trace);
        result.violations().forEach(violation -> System.out.println("VIOLATION " + violation));
        System.out.println("seed " + seed + ": leases " + result.leases() + ", " + result.writes() + " fenced writes, "
                + result.violations().size() + " violations");
        return result.violations().isEmpty() ? 0 : 1;
    }

    private static int simulate(long from, long count, Plant plant) {
        long start = System.nanoTime();
        for (long seed : knownSeeds()) {
            Summary known = run(seed, 1, plant);
            if (known.failingSeed() != null) {
                return report(known, plant, start);
            }
        }
        return report(run(from, count, plant), plant, start);
    }

    private static int report(Summary summary, Plant plant, long start) {
        System.out.printf("%s in %.1f s%n", summary, (System.nanoTime() - start) / 1e9);
        if (summary.failingSeed() == null) {
            System.out.println("no violation");
            return 0;
        }
        summary.violations().forEach(violation -> System.out.println("VIOLATION " + violation));
        System.out.println("Replay with: " + replayCommand(summary.failingSeed(), plant));
        return 1;
    }
}
