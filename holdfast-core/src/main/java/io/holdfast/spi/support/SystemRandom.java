package io.holdfast.spi.support;

import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * Random numbers that the operating system makes at the moment of the call. Copies of one process image (CRIU, SnapStart, a
 * cloned VM) draw different ones, because no state of the generator is part of the image: a restored process reads those of
 * its host, and a cloned VM is reseeded. Takes less than a microsecond. Thread-safe.
 */
public final class SystemRandom {

    private final SecureRandom source;

    /** Keeps nothing that decides about the numbers. */
    public SystemRandom() {
        this.source = source();
    }

    /** The next number. */
    public long nextLong() {
        // Not nextBytes(), which mixes in a state and a buffer of its own.
        return ByteBuffer.wrap(source.generateSeed(Long.BYTES)).getLong();
    }

    /** One that reads /dev/urandom, where there is one; elsewhere the default one has the seeds of the system. */
    private static SecureRandom source() {
        try {
            return SecureRandom.getInstance("NativePRNGNonBlocking");
        } catch (NoSuchAlgorithmException notUnix) {
            return new SecureRandom();
        }
    }
}
