package io.holdfast.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The scripts that run in the server. Each is one atomic step; what they share is in {@code state.lua}. */
enum Script {
    ACQUIRE,
    RELEASE,
    RENEW,
    REVOKE,
    DRIVE,
    INSPECT;

    private static final String PLACE_OF_STATE = "--@state\n";

    private final String body;
    private final String digest;

    Script() {
        // Put in where it is needed, so that the short ways before it need not set it up.
        body = read(name().toLowerCase(Locale.ROOT)).replace(PLACE_OF_STATE, read("state"));
        digest = sha1(body);
    }

    /** What is sent when the server does not know it yet. */
    String body() {
        return body;
    }

    /** What is sent otherwise. */
    String digest() {
        return digest;
    }

    private static String read(String file) {
        try (InputStream source = Script.class.getResourceAsStream(file + ".lua")) {
            if (source == null) {
                throw new IllegalStateException(file + ".lua is missing beside " + Script.class);
            }
            return new String(source.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static String sha1(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
