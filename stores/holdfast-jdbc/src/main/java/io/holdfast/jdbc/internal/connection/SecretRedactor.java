package io.holdfast.jdbc.internal.connection;

import io.holdfast.jdbc.internal.DatabaseAvailability;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps passwords out of messages. A driver's exception that contains a secret, or a part of one, is replaced by one without its text:
 * drivers put the whole URL, or the part that they could not parse, into their messages.
 */
final class SecretRedactor {

    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");
    /** Letters and digits, at least eight. */
    private static final Pattern RANDOM = Pattern.compile("(?=.*\\p{L})(?=.*\\p{N}).{8,}");

    private static final Pattern SECRET_KEY = Pattern.compile("pas|pw|secret|token|key|cred|auth");

    /** A shorter secret is found as a whole word only. */
    private static final int MIN_SUBSTRING_LENGTH = 4;

    private static final int MAX_CAUSES = 20;

    private final Set<String> words = new HashSet<>();

    /** The secrets of a URL: the values of keys that look like that of a password, and values without a key. */
    static SecretRedactor of(JdbcUrl url) {
        SecretRedactor secrets = new SecretRedactor();
        String user = "";
        for (String part : url.secretPart().split("[?&;(),\\s]+", -1)) {
            int equals = part.indexOf('=');
            String key = part.substring(0, Math.max(0, equals)).toLowerCase(Locale.ROOT);
            String value = part.substring(equals + 1);
            if (equals < 0 || SECRET_KEY.matcher(key).find()) {
                secrets.words.addAll(words(value));
                secrets.words.addAll(words(decoded(value)));
            } else if (key.equals("user")) {
                user = value;
            }
        }
        words(url.name()).forEach(secrets.words::remove);
        return secrets.exclude(user);
    }

    private static List<String> words(String text) {
        return WORD.matcher(text.toLowerCase(Locale.ROOT))
                .results()
                .map(MatchResult::group)
                .toList();
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            // Then no driver can decode it either.
            return value;
        }
    }

    /**
     * Adds this password as a whole, and those words of it that look random. A token may be hundreds of characters, with the names of the
     * server and the user and other words that a driver's message has, too.
     */
    SecretRedactor addPassword(String password) {
        if (!password.isEmpty()) {
            words.add(password.toLowerCase(Locale.ROOT));
        }
        words(password).stream().filter(word -> RANDOM.matcher(word).matches()).forEach(words::add);
        return this;
    }

    /** Does not treat the name of the user as a secret: it is shown anyway. */
    SecretRedactor exclude(String user) {
        words.remove(user.toLowerCase(Locale.ROOT));
        return this;
    }

    /** The driver's failure; or one without its text, if it contains a secret or is about the syntax of the URL. */
    SQLException redact(Exception failure) {
        SQLException sql = failure instanceof SQLException itself ? itself : null;
        boolean isSyntax = isSyntax(failure);
        if (!isSyntax && !isIn(text(failure))) {
            return sql != null ? sql : new SQLException("The driver failed: " + failure, failure);
        }
        String state = sql == null ? null : sql.getSQLState();
        int code = sql == null ? 0 : sql.getErrorCode();
        String message = "The driver threw " + failure.getClass().getName() + " with SQLSTATE " + state
                + "; its message is not shown, because it may contain a part of the password. " + advice(state);
        SQLException redacted;
        if (isSyntax) {
            // Without the state: drivers report a malformed URL as a failed connection, too.
            redacted = new SQLException(message);
        } else if (DatabaseAvailability.isUnavailable(failure)) {
            redacted = new SQLTransientException(message, state, code);
        } else {
            redacted = new SQLException(message, state, code);
        }
        redacted.setStackTrace(failure.getStackTrace());
        return redacted;
    }

    private static String advice(@Nullable String state) {
        String kind = state == null || state.length() < 2 ? "" : state.substring(0, 2);
        return switch (kind) {
            case "28" -> "The server rejected the user or the password.";
            case "3D", "42" -> "Check the name of the database.";
            case "08" -> "Check whether the server is reachable, and the syntax of the URL.";
            default -> "Check the syntax of the URL, and the values of its parameters.";
        };
    }

    /** Such as a malformed number, or a percent sign without digits: the text may be any part of the URL. */
    private static boolean isSyntax(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .limit(MAX_CAUSES)
                .anyMatch(IllegalArgumentException.class::isInstance);
    }

    /** With causes and suppressed exceptions, and those that are chained as JDBC does it. */
    private static String text(Exception failure) {
        StringWriter text = new StringWriter();
        PrintWriter lines = new PrintWriter(text);
        failure.printStackTrace(lines);
        SQLException next = failure instanceof SQLException first ? first.getNextException() : null;
        for (int count = 0; next != null && count < MAX_CAUSES; count++) {
            next.printStackTrace(lines);
            next = next.getNextException();
        }
        // The lines with classes and methods contain nothing of a URL.
        return text.toString().replaceAll("(?m)^\\s+at .*$", "");
    }

    private boolean isIn(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        List<String> found = words(lower);
        return words.stream()
                .anyMatch(secret ->
                        secret.length() < MIN_SUBSTRING_LENGTH ? found.contains(secret) : lower.contains(secret));
    }
}
