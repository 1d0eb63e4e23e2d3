package io.holdfast.benchmarks.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** One row of a table about passing a lock from one JVM to another. */
public record HandOffRow(Entrant entrant) {

    /** Measures it once. */
    public void measure(Arena arena, Round round) {
        String row = entrant.label();
        arena.progress("round " + round.number() + ": " + row);
        try {
            write(round, row, play(arena));
        } catch (FailedRun failed) {
            round.note(row + ": stuck, or " + failed.reason());
        }
    }

    private List<Answer> play(Arena arena) throws FailedRun {
        Effort effort = arena.effort();
        try {
            Path board = Files.createTempFile("board", ".bin");
            try {
                return arena.run(
                        Jdk.current(),
                        effort.handOffLimit(),
                        IntStream.range(0, 2)
                                .mapToObj(player -> new HandOffTask(
                                        arena.addressOf(entrant),
                                        entrant,
                                        player,
                                        board.toString(),
                                        effort.handOffs(),
                                        effort.handOffLimit()))
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

    private static double quantile(double[] sorted, double share) {
        return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
    }
}
