package io.holdfast.jdbc;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Words that must not be shown, because they may be a part of a password. A driver's exception that has one of them is replaced by
 * one without its text: drivers put the whole URL, or the part that they could not read, into their messages.
 */
final class Secrets {

    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}]+");
    /** Letters and digits, and not few. */
    private static final Pattern RANDOM = Pattern.compile("(?=.*\\p{L})(?=.*\\p{N}).{8,}");

    private static final Pattern SECRET_KEY = Pattern.compile("pas|pw|secret|token|key|cred|auth");

    /** A shorter one is only found as a word of its own. */
    private static final int LONG = 4;

    private final Set<String> words = new HashSet<>();

    /** Those of a URL: what has a key that looks like a password's, and what has no key. */
    static Secrets of(JdbcUrl url) {
        Secrets secrets = new Secrets();
        String user = "";
        for (String part : url.hidden().split("[?&;(),\\s]+", -1)) {
            int equals = part.indexOf('=');
            String key = part.substring(0, Math.max(0, equals)).toLowerCase(Locale.ROOT);
            if (equals < 0 || SECRET_KEY.matcher(key).find()) {
                secrets.add(part.substring(equals + 1));
            } else if (key.equals("user")) {
                user = part.substring(equals + 1);
            }
        }
        Matcher shown = WORD.matcher(url.name().toLowerCase(Locale.ROOT));
        while (shown.find()) {
            secrets.words.remove(shown.group());
        }
        return secrets.except(user);
    }

    /** Also those of this text. */
    Secrets add(String secret) {
        addWords(secret);
        if (secret.contains("%")) {
            try {
                addWords(URLDecoder.decode(secret, StandardCharsets.UTF_8));
            } catch (IllegalArgumentException malformed) {
                // Then no driver can decode it either.
                return this;
            }
        }
        return this;
    }

    private void addWords(String secret) {
        Matcher word = WORD.matcher(secret.toLowerCase(Locale.ROOT));
        while (word.find()) {
            words.add(word.group());
        }
    }

    /**
     * Also this password as a whole, and those words of it that look random. A token may be hundreds of characters, with the names of
     * the server and the user and other words that a driver's message has, too.
     */
    Secrets addPassword(String password) {
        if (!password.isEmpty()) {
            words.add(password.toLowerCase(Locale.ROOT));
        }
        Matcher word = WORD.matcher(password.toLowerCase(Locale.ROOT));
        while (word.find()) {
            if (RANDOM.matcher(word.group()).matches()) {
                words.add(word.group());
            }
        }
        return this;
    }

    /** Does not count that word: it is shown anyway, as that of the user. */
    Secrets except(String user) {
        words.remove(user.toLowerCase(Locale.ROOT));
        return this;
    }

    /** The driver's failure; or one without its text, if a word of it is secret or it is about the syntax of the URL. */
    SQLException hiddenIn(Exception failure) {
        if (!isSyntax(failure) && !isIn(texts(failure))) {
            return failure instanceof SQLException sql
                    ? sql
                    : new SQLException("The driver failed: " + failure, failure);
        }
        SQLException sql = failure instanceof SQLException itself ? itself : null;
        String state = sql == null ? null : sql.getSQLState();
        SQLException hidden = new SQLException(
                "The driver threw " + failure.getClass().getName() + " with SQLSTATE " + state + "; its message is not"
                        + " shown, because it may contain a part of the password. " + advice(state),
                state,
                sql == null ? 0 : sql.getErrorCode());
        hidden.setStackTrace(failure.getStackTrace());
        return hidden;
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

    /** Such as a number that is none, or a percent sign without digits: the text may be any part of the URL. */
    private static boolean isSyntax(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 20; depth++) {
            if (cause instanceof IllegalArgumentException) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** With causes and suppressed exceptions, and those that are chained as JDBC does it. */
    private static String texts(Exception failure) {
        StringWriter text = new StringWriter();
        PrintWriter lines = new PrintWriter(text);
        failure.printStackTrace(lines);
        if (failure instanceof SQLException first) {
            SQLException next = first.getNextException();
            for (int count = 0; next != null && count < 20; count++) {
                next.printStackTrace(lines);
                next = next.getNextException();
            }
        }
        // The lines with classes and methods have nothing of a URL.
        return text.toString().replaceAll("(?m)^\\s+at .*$", "");
    }

    private boolean isIn(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        Set<String> found = new HashSet<>();
        Matcher word = WORD.matcher(lower);
        while (word.find()) {
            found.add(word.group());
        }
        return words.stream()
                .anyMatch(secret -> secret.length() < LONG ? found.contains(secret) : lower.contains(secret));
    }
}
