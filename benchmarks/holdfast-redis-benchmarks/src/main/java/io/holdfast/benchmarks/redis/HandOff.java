package io.holdfast.benchmarks.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** How long it takes from release in one JVM until acquire returns in another one that has waited. */
final class HandOff implements Section {

    @Override
    public String key() {
        return "hand-off";
    }

    @Override
    public String title() {
        return "From one JVM to another: release is called here, acquire returns there";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.HAND_OFF_MEDIAN,
                Column.MEDIAN_OF_REDISSON,
                Column.HAND_OFF_P99,
                Column.P99_OF_REDISSON,
                Column.HAND_OFFS);
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Goal.ofHoldfast(Column.MEDIAN_OF_REDISSON, Goal.Bound.AT_MOST, 0.5),
                Goal.ofHoldfast(Column.P99_OF_REDISSON, Goal.Bound.AT_MOST, 1));
    }

    @Override
    public void measure(Arena arena, Round round) {
        List<Contestant> contestants = arena.inTurn(
                round,
                Contestant.FLOOR_OF_MESSAGES,
                Contestant.HOLDFAST,
                Contestant.REDISSON,
                Contestant.SPRING_SPIN,
                Contestant.SPRING_PUB_SUB);
        for (Contestant contestant : contestants) {
            arena.progress("round " + round.number() + ": " + contestant.label());
            try {
                write(round, contestant.label(), play(arena, contestant));
            } catch (FailedRun failed) {
                round.note(contestant.label() + ": stuck, or " + failed.reason());
            }
        }
        String redisson = Contestant.REDISSON.label();
        round.divide(Column.HAND_OFF_MEDIAN, redisson, Column.MEDIAN_OF_REDISSON);
        round.divide(Column.HAND_OFF_P99, redisson, Column.P99_OF_REDISSON);
    }

    private List<Answer> play(Arena arena, Contestant contestant) throws FailedRun {
        Effort effort = arena.effort();
        try {
            Path board = Files.createTempFile("board", ".bin");
            try {
                return arena.run(
                        jdk(),
                        effort.handOffLimit(),
                        IntStream.range(0, 2)
                                .mapToObj(player -> new HandOffTask(
                                        contestant, player, board, effort.handOffs(), effort.handOffLimit()))
                                .toList());
            } finally {
                Files.delete(board);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static void write(Round round, String row, List<Answer> answers) {
        double[] nanos = answers.stream()
                .map(answer -> answer.numbers("nanos"))
                .flatMapToDouble(all -> Arrays.stream(all).skip(all.length / 2))
                .sorted()
                .toArray();
        if (nanos.length == 0) {
            round.note(row + ": no hand-off in time");
            return;
        }
        round.put(row, Column.HAND_OFF_MEDIAN, quantile(nanos, 0.5) / 1e6);
        round.put(row, Column.HAND_OFF_P99, quantile(nanos, 0.99) / 1e6);
        round.put(row, Column.HAND_OFFS, nanos.length);
    }

    static double quantile(double[] sorted, double share) {
        return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
    }
}
