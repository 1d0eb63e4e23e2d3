package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Spread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The disk that databases wait for at each commit. Others may use it, too, and then it is slow for everybody. */
final class Disk {

    private static final int BLOCK = 8_192;
    private static final int WRITES = 500;

    private Disk() {}

    /** How long it takes until a block is written and safe. */
    static double medianMillis() {
        try {
            Path file = Files.createTempFile("disk", ".bin");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                // A log is overwritten where it can be, for a file that grows takes longer.
                write(channel);
                channel.force(true);
                return Spread.of(write(channel)).median();
            } finally {
                Files.delete(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static double[] write(FileChannel channel) throws IOException {
        double[] millis = new double[WRITES];
        for (int i = 0; i < WRITES; i++) {
            long begin = System.nanoTime();
            channel.write(ByteBuffer.allocate(BLOCK), (long) i * BLOCK);
            channel.force(false);
            millis[i] = (System.nanoTime() - begin) / 1e6;
        }
        return millis;
    }
}
