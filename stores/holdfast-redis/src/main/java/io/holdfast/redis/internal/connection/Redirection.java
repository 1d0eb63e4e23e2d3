package io.holdfast.redis.internal.connection;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The answer of a cluster node that a key is on another node: {@code MOVED 3999 127.0.0.1:6381} if the slot has moved,
 * {@code ASK 3999 127.0.0.1:6381} if the slot is being migrated and only this key has moved.
 *
 * @param asking the next command there has to be preceded by {@code ASKING}
 * @param host the node's host
 * @param port the node's port
 */
public record Redirection(boolean asking, String host, int port) {

    private static final Pattern TEXT = Pattern.compile("(MOVED|ASK) \\d+ (\\S+):(\\d{1,5})");

    /** Empty if the failure is no redirection, or has no host. */
    public static Optional<Redirection> parse(Throwable failure) {
        Matcher text = TEXT.matcher(String.valueOf(failure.getMessage()));
        return text.matches()
                ? Optional.of(
                        new Redirection(text.group(1).equals("ASK"), text.group(2), Integer.parseInt(text.group(3))))
                : Optional.empty();
    }
}
