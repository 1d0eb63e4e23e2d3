package io.holdfast.redis.internal.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The Lua scripts that the server executes. Each is atomic. The names are the arguments in their order; {@code state.lua} and {@code
 * queue.lua} have what the scripts share.
 */
public enum Script {
    /** Acquires the name for a claim, or puts the claim into the wait queue. */
    ACQUIRE(
            "id",
            "mode",
            "wantedUnits",
            "wantedCapacity",
            "wantedLease",
            "wantedTokens",
            "owner",
            "keepMillis",
            "channel",
            "arrivalNumber"),
    /** Ends a claim, and hands the name over to the next waiter. */
    RELEASE("id", "reason", "retentionMicros"),
    /** Renews or shortens leases, and returns units. Followed by claim, units and lease for each key. */
    RENEW("retentionMicros"),
    /** Releases by force, by a token. */
    REVOKE("wantedToken", "retentionMicros"),
    /** Continues to serve the queue where another script has reached its limit. */
    SERVE_QUEUE("retentionMicros"),
    /** Reads holders and queue. */
    INSPECT("lastHolder");

    private static final String CONSTANTS_MARKER = "--@constants\n";
    private static final String ARGUMENTS_MARKER = "--@arguments\n";
    private static final String STATE_MARKER = "--@state\n";

    private final int argumentCount;
    private final String body;
    private final String digest;

    Script(String... arguments) {
        argumentCount = arguments.length;
        // The state is inserted where it is needed, so that the fast paths before it need not set it up.
        String text = read(name().toLowerCase(Locale.ROOT)).replace(STATE_MARKER, read("state") + read("queue"));
        body = text.replace(ARGUMENTS_MARKER, "local " + String.join(", ", arguments) + " = unpack(ARGV)\n")
                .replace(CONSTANTS_MARKER, ScriptConstants.declarationFor(text));
        digest = sha1(body);
    }

    /** The text, for {@code EVAL}. */
    public String body() {
        return body;
    }

    /** The SHA-1 of the text, for {@code EVALSHA}. */
    public String digest() {
        return digest;
    }

    /** Throws an exception if the number of arguments is not what the script expects. */
    void checkArguments(int keys, int count) {
        int expected = argumentCount + (this == RENEW ? keys * ScriptConstants.ARGUMENTS_PER_RENEWAL : 0);
        if (count != expected) {
            throw new IllegalArgumentException(this + " needs " + expected + " arguments, not " + count);
        }
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
