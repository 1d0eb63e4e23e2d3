package io.holdfast.redis.internal.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a Redis URL after its scheme, without decoding. {@link java.net.URI} does not accept several hosts.
 *
 * @param credentials with the {@code @}, or empty
 * @param hosts with ports and commas
 * @param path with the slash, or empty
 * @param query with the question mark and without Holdfast's own options, or empty
 * @param fragment with the hash sign, or empty
 * @param options all of {@code name=value}
 */
public record UrlParts(
        String credentials, String hosts, String path, String query, String fragment, List<String> options) {

    private static final String KEY_PREFIX = "keyPrefix";
    private static final List<String> KNOWN = List.of(
            KEY_PREFIX,
            "timeout",
            "clientName",
            "verifyPeer",
            "database",
            "db",
            "sentinelMasterId",
            "libraryName",
            "libraryVersion");
    private static final Pattern HOST = Pattern.compile("([^:@\\[\\]\\s]+|\\[[0-9a-fA-F:.%]+])(:\\d{1,5})?");
    private static final Pattern DATABASE = Pattern.compile("(/\\d{1,9})?");
    private static final Pattern TIME = Pattern.compile("\\d{1,9}(ns|us|ms|s|m|h|d)?");

    /*
     * No exception message from here, nor from later parsing, may contain a password. So text that may be part of one is refused with
     * a message that does not repeat the text: an @ after the authority, or a port that is no number, may be part of a password.
     */
    public static UrlParts of(String rest) {
        Matcher end = Pattern.compile("[/?#]|$").matcher(rest);
        int authority = end.find() ? end.start() : rest.length();
        if (rest.indexOf('@', authority) >= 0) {
            throw new IllegalArgumentException(
                    "there is an @ after a /, ? or #. In a user name or password, write these"
                            + " as %40, %2F, %3F and %23");
        }
        int at = rest.lastIndexOf('@', authority);
        String hosts = rest.substring(at + 1, authority);
        for (String host : hosts.split(",", -1)) {
            if (!HOST.matcher(host).matches()) {
                throw new IllegalArgumentException(
                        "the form of a host is name or name:port, several are separated by commas,"
                                + " and a password is written before them as :password@");
            }
        }
        String text = rest.substring(authority);
        int hash = text.indexOf('#');
        String fragment = hash < 0 ? "" : text.substring(hash);
        text = hash < 0 ? text : text.substring(0, hash);
        int mark = text.indexOf('?');
        List<String> options =
                mark < 0 ? List.of() : List.of(text.substring(mark + 1).split("&", -1));
        String path = mark < 0 ? text : text.substring(0, mark);
        List<String> others = new ArrayList<>(options);
        others.removeIf(option -> option.startsWith(KEY_PREFIX + "="));
        return new UrlParts(
                rest.substring(0, at + 1),
                hosts,
                path.equals("/") ? "" : path,
                others.isEmpty() ? "" : "?" + String.join("&", others),
                fragment,
                options);
    }

    /** Refuses what Lettuce would ignore. */
    public void check() {
        if (!DATABASE.matcher(path).matches()) {
            throw new IllegalArgumentException("the database must be a number: '" + path.substring(1) + "'");
        }
        String timeout = option("timeout");
        if (timeout != null && !TIME.matcher(timeout).matches()) {
            throw new IllegalArgumentException(
                    "timeout must be a number with a unit, such as 500ms or 2s: '" + timeout + "'");
        }
        for (String option : options) {
            int equals = option.indexOf('=');
            if (!option.isEmpty() && (equals < 0 || !KNOWN.contains(option.substring(0, equals)))) {
                throw new IllegalArgumentException("the option '" + (equals < 0 ? option : option.substring(0, equals))
                        + "' is not supported; supported are " + KNOWN + ", each with = and a value");
            }
        }
    }

    @Nullable
    public String option(String name) {
        return options.stream()
                .filter(option -> option.startsWith(name + "="))
                .map(option -> option.substring(name.length() + 1))
                .findFirst()
                .orElse(null);
    }

    @Override
    public String toString() {
        return "UrlParts[" + hosts + path + "]";
    }
}
