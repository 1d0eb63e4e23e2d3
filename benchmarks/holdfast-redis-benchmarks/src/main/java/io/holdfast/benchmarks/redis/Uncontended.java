package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.CrowdRow;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.Passes;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a pair of acquire and release costs when it is uncontended. Every contestant is measured between two
 * measurements of the floor, and compared with their mean; contestants are compared by what they have of the floor.
 */
final class Uncontended implements Section<RedisArena> {

    private static final String FLOOR = Contestant.FLOOR.label();
    private static final String REDISSON = Contestant.REDISSON.label();

    @Override
    public String key() {
        return "uncontended";
    }

    @Override
    public String title() {
        return "Uncontended: one thread, one name, acquire and release";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.RATE,
                RedisColumn.TIMES_FLOOR,
                RedisColumn.TIMES_REDISSON,
                RedisColumn.SENT,
                Column.CPU,
                RedisColumn.CPU_OF_REDISSON,
                Column.STUCK);
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Contestant.HOLDFAST.should(RedisColumn.TIMES_FLOOR, Goal.Bound.AT_LEAST, 0.8),
                Contestant.HOLDFAST.should(RedisColumn.TIMES_REDISSON, Goal.Bound.AT_LEAST, 1.4),
                Contestant.HOLDFAST.should(RedisColumn.SENT, Goal.Bound.EXACTLY, 2),
                Contestant.HOLDFAST.should(RedisColumn.CPU_OF_REDISSON, Goal.Bound.BELOW, 1));
    }

    @Override
    public void measure(RedisArena arena, Round round) {
        CrowdRow floor = CrowdRow.of(Contestant.FLOOR, 1, 1);
        List<Contestant> contestants = arena.inTurn(
                round,
                List.of(Contestant.HOLDFAST, Contestant.REDISSON, Contestant.SPRING_SPIN, Contestant.SPRING_PUB_SUB));
        Map<String, Double> shares = new LinkedHashMap<>();
        Optional<Passes> before = pass(floor, arena, round);
        for (Contestant contestant : contestants) {
            Optional<Passes> own = pass(CrowdRow.of(contestant, 1, 1), arena, round);
            Optional<Passes> after = pass(floor, arena, round);
            if (own.isPresent() && before.isPresent() && after.isPresent()) {
                shares.put(
                        contestant.label(),
                        own.get().rate() / mean(before.get().rate(), after.get().rate()));
            }
            before = after;
        }
        compare(round, shares);
        if (round.isFirst()) {
            arena.countSent(floor, round);
            contestants.forEach(contestant -> arena.countSent(CrowdRow.of(contestant, 1, 1), round));
        }
    }

    private static Optional<Passes> pass(CrowdRow row, RedisArena arena, Round round) {
        OptionalDouble earlier = round.value(row.label(), Column.RATE);
        Optional<Passes> passes = row.measure(arena, round);
        passes.ifPresent(found -> {
            round.put(row.label(), Column.CPU, found.cpuMicros());
            // The floor comes several times in a round.
            earlier.ifPresent(rate -> round.put(row.label(), Column.RATE, mean(rate, found.rate())));
        });
        return passes;
    }

    private static void compare(Round round, Map<String, Double> shares) {
        shares.forEach((row, share) -> {
            round.put(row, RedisColumn.TIMES_FLOOR, share);
            Double redisson = shares.get(REDISSON);
            if (redisson != null && !row.equals(REDISSON)) {
                round.put(row, RedisColumn.TIMES_REDISSON, share / redisson);
            }
        });
        round.divide(Column.CPU, REDISSON, RedisColumn.CPU_OF_REDISSON);
        if (shares.isEmpty()) {
            round.note("nobody to compare with the " + FLOOR);
        }
    }

    private static double mean(double one, double other) {
        return (one + other) / 2;
    }
}
