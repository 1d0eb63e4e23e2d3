package io.holdfast.jdbc.internal.dialect;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Hashes of names, for keys and channels that have less room than a name. Two names with the same hash would only exclude each other. */
public final class NameHash {

    private NameHash() {}

    /** 64 bits. */
    public static long of(String scope, String name) {
        return ByteBuffer.wrap(digest(scope, name)).getLong();
    }

    /** 256 bits. */
    public static byte[] digest(String scope, String name) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(scope.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
            return digest.digest(name.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java has SHA-256", impossible);
        }
    }
}
