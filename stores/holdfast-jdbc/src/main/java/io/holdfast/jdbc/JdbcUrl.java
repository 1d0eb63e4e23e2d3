package io.holdfast.jdbc;

import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JDBC URL: the kind of database, the wrapper driver before it ({@code jdbc:otel:postgresql:…}), and what of it may be shown. A
 * malformed URL may have its password anywhere, so only what is certain to be a host and a database is shown.
 */
final class JdbcUrl {

    /** Drivers that pass on to another one, and the artifacts that have them. */
    static final Map<String, String> WRAPPERS = Map.of(
            "otel", "io.opentelemetry.instrumentation:opentelemetry-jdbc",
            "aws-wrapper", "software.amazon.jdbc:aws-advanced-jdbc-wrapper",
            "tc", "org.testcontainers:jdbc",
            "p6spy", "p6spy:p6spy",
            "tracing", "io.opentracing.contrib:opentracing-jdbc",
            "log4jdbc", "org.bgee.log4jdbc-log4j2:log4jdbc-log4j2-jdbc4.1");

    private static final Pattern FORM = Pattern.compile(
            "jdbc:((?:[a-z][a-z0-9-]*:){0,2}?)(postgresql|mariadb|mysql|h2|sqlite):(.*)", Pattern.DOTALL);

    private static final Pattern OTHER = Pattern.compile("(jdbc:[a-z0-9-]+:).*", Pattern.DOTALL);

    /** What comes before the host: slashes, perhaps after a mode of the driver or a version of Testcontainers. */
    private static final Pattern SLASHES = Pattern.compile("((?:[a-z0-9][a-z0-9._-]*:)?//)(.*)", Pattern.DOTALL);

    private static final String HOST = "(?:[\\p{L}\\p{N}._-]*|\\[[0-9A-Za-z:.%_-]+])(?::[0-9]+)?";

    /** Hosts with numeric ports, and a database. */
    private static final Pattern ADDRESS = Pattern.compile(HOST + "(?:," + HOST + ")*(?:/[\\p{L}\\p{N}_.$%+~-]*)?");

    private static final Pattern PATH = Pattern.compile(HOST + "(?:/.*)?", Pattern.DOTALL);

    /** PostgreSQL's short form, without a host. */
    private static final Pattern DATABASE = Pattern.compile("/?[\\p{L}\\p{N}_.$%+~-]*");

    /** Where parameters begin. */
    private static final Pattern HEAD = Pattern.compile("([^?;(]*)(.*)", Pattern.DOTALL);

    private static final Pattern CREDENTIALS = Pattern.compile("(?is)[^?;(]*@.*|.*[?&;,(](?:user|password)=.*");

    private static final Pattern LOCAL_HEAD = Pattern.compile("([^?;(&=,]*)(.*)", Pattern.DOTALL);

    private final String text;
    private final String wrapper;
    private final String kind;
    /** After the kind. */
    private final String rest;

    private final String name;
    /** All that may contain something secret. */
    private final String hidden;

    private JdbcUrl(String text, String wrapper, String kind, String rest, String shown, String hidden) {
        this.text = text;
        this.wrapper = wrapper;
        this.kind = kind;
        this.rest = rest;
        this.name = shown;
        this.hidden = hidden;
    }

    static JdbcUrl of(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            Matcher other = OTHER.matcher(text);
            return new JdbcUrl(text, "", "", text, other.matches() ? other.group(1) : "jdbc:", text);
        }
        String prefix = form.group(1);
        String wrapper = prefix.isEmpty() ? "" : prefix.substring(0, prefix.length() - 1);
        String kind = form.group(2);
        String rest = form.group(3);
        String start = "jdbc:" + prefix + kind + ":";
        Matcher head = matched(hasPath(kind) ? LOCAL_HEAD : HEAD, rest);
        String bare = head.group(1);
        String parameters = head.group(2);
        Matcher slashes = SLASHES.matcher(bare);
        if (!slashes.matches()) {
            boolean safe = isWithoutHost(kind, bare, rest);
            return new JdbcUrl(text, wrapper, kind, rest, safe ? start + bare : start, safe ? parameters : rest);
        }
        start += slashes.group(1);
        String login = slashes.group(2).replaceFirst("[^@]*$", "");
        String address = slashes.group(2).substring(login.length());
        // A password may have one of those signs that begin the parameters.
        boolean cut = parameters.matches("(?s)[^=]*@.*") || (parameters.contains("@") && !address.contains("/"));
        boolean safe = !cut && (hasPath(kind) ? PATH : ADDRESS).matcher(address).matches();
        return new JdbcUrl(
                text,
                wrapper,
                kind,
                rest,
                safe ? start + address : start,
                safe ? login.replaceFirst("^[^:@]*", "") + parameters : rest);
    }

    /** Whether the database is named by a path. */
    private static boolean hasPath(String kind) {
        return kind.equals("h2") || kind.equals("sqlite");
    }

    /** Whether it is a form without a host, and so without a user before it. */
    private static boolean isWithoutHost(String kind, String bare, String rest) {
        return switch (kind) {
            case "sqlite" -> true;
            case "h2" -> !rest.contains("//") && !rest.contains("@");
            case "postgresql" -> DATABASE.matcher(bare).matches();
            default -> false;
        };
    }

    private static Matcher matched(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalStateException("Matches every text: " + pattern);
        }
        return matcher;
    }

    /** All of it, for the driver alone. */
    String text() {
        return text;
    }

    /** Without user, password and parameters; rather without the host, too, than with a part of a password. */
    String name() {
        return name;
    }

    /** The word for the database, such as {@code postgresql}; empty if it is unknown. */
    String kind() {
        return kind;
    }

    /** The words between {@code jdbc:} and the kind; empty for the database's own driver. */
    String wrapper() {
        return wrapper;
    }

    /** As the database's own driver would have it. */
    String plain() {
        return kind.isEmpty() ? text : "jdbc:" + kind + ":" + rest;
    }

    /** All of it that may contain something secret. */
    String hidden() {
        return hidden;
    }

    /** Whether it says who the user is, or what the password is. */
    boolean hasCredentials() {
        return CREDENTIALS.matcher(rest).matches();
    }

    /** Fails if the driver could not read it, and would print it whole into an exception or, as that of PostgreSQL, the log. */
    void check() {
        boolean isReadable = switch (kind) {
            case "mariadb", "mysql" -> rest.contains("//");
            case "postgresql" -> !rest.contains("//") || isReadableByPostgres();
            default -> true;
        };
        if (!isReadable) {
            throw new IllegalArgumentException(
                    "The URL " + name + " is malformed; what else it has is not shown, because"
                            + " of the password. Its form has to be jdbc:" + kind
                            + "://HOST:PORT/DATABASE?user=NAME&password=TEXT,"
                            + " with a number as the port.");
        }
    }

    /** Hosts, each perhaps with a number, and one slash. */
    private boolean isReadableByPostgres() {
        String[] parts =
                rest.replaceFirst("\\?.*", "").replaceFirst("^[^/]*//", "").split("/", -1);
        return parts.length == 2
                && Arrays.stream(parts[0].split(",", -1)).allMatch(host -> host.matches("[^:]*|.*:[0-9]*|.*]"));
    }
}
