package io.holdfast.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** A program in the format of Linux, with 64 bits. */
final class ElfProgram {

    /** More than the header and the table of segments behind it. */
    private static final int START = 4096;

    private ElfProgram() {}

    /** Writes the part that runs. What follows are notes for debuggers, which can be ten times as long. */
    static void copy(InputStream program, Path target) throws IOException {
        byte[] start = program.readNBytes(START);
        long left = length(ByteBuffer.wrap(start).order(ByteOrder.LITTLE_ENDIAN)) - start.length;
        try (OutputStream file = Files.newOutputStream(target)) {
            file.write(start);
            while (left > 0) {
                byte[] part = program.readNBytes((int) Math.min(left, 1 << 20));
                if (part.length == 0) {
                    throw new IOException(target + " is cut short");
                }
                file.write(part);
                left -= part.length;
            }
        }
        if (!target.toFile().setExecutable(true, false)) {
            throw new IOException(target + " cannot be made executable");
        }
    }

    /** The end of the last segment; the numbers are the offsets that the format prescribes. */
    private static long length(ByteBuffer start) {
        int table = (int) start.getLong(0x20);
        int entry = start.getShort(0x36);
        int entries = start.getShort(0x38);
        long end = 0;
        for (int segment = table; segment < table + entries * entry; segment += entry) {
            end = Math.max(end, start.getLong(segment + 0x08) + start.getLong(segment + 0x20));
        }
        return end;
    }
}
