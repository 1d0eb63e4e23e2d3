package io.holdfast.benchmarks.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the first thread of a process has had of the processors until now, as Linux tells it.
 *
 * @param onProcessor how many nanoseconds it ran
 * @param waiting how many nanoseconds it could have run, but others had the processors
 */
record ProcessorTime(long onProcessor, long waiting) {

    static ProcessorTime of(long pid) {
        try {
            return parse(Files.readString(Path.of("/proc", Long.toString(pid), "schedstat")));
        } catch (IOException unknown) {
            throw new UncheckedIOException(unknown);
        }
    }

    static ProcessorTime parse(String schedstat) {
        String[] nanos = schedstat.strip().split(" ", -1);
        return new ProcessorTime(Long.parseLong(nanos[0]), Long.parseLong(nanos[1]));
    }

    ProcessorTime since(ProcessorTime earlier) {
        return new ProcessorTime(onProcessor - earlier.onProcessor, waiting - earlier.waiting);
    }
}
