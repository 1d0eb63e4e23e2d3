package io.holdfast.jdbc.internal.connection;

import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JDBC URL, and the part of it that may be shown. A malformed URL may have its password anywhere, so only what is certain to be a host and
 * a database is shown.
 *
 * @param text all of it, for the driver alone
 * @param wrapper the text between {@code jdbc:} and the kind, as in {@code jdbc:otel:postgresql:…}; empty for the database's own driver
 * @param kind the name of the database in URLs, such as {@code postgresql}; empty if it is unknown
 * @param rest what comes after the kind
 * @param name the URL without user, password and parameters; in doubt also without the host
 * @param secretPart the parts that may contain a secret
 */
public record JdbcUrl(String text, String wrapper, String kind, String rest, String name, String secretPart) {

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

    /** An option of MariaDB's driver. */
    private static final Pattern POOLED = Pattern.compile("^jdbc:mariadb:.*[?&]pool(?!=(?:false|0))(?:=|&|$)");

    private static final Pattern CREDENTIALS = Pattern.compile("(?is)[^?;(]*@.*|.*[?&;,(](?:user|password)=.*");

    public static JdbcUrl of(String text) {
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
        String address = rest.split(hasPath(kind) ? "[?;(&=,]" : "[?;(]", 2)[0];
        String parameters = rest.substring(address.length());
        String secret = parameters;
        boolean safe;
        Matcher slashes = SLASHES.matcher(address);
        if (slashes.matches()) {
            start += slashes.group(1);
            String login = slashes.group(2).replaceFirst("[^@]*$", "");
            address = slashes.group(2).substring(login.length());
            secret = login.replaceFirst("^[^:@]*", "") + parameters;
            // A password may have one of those signs that begin the parameters.
            boolean cut = parameters.matches("(?s)[^=]*@.*") || (parameters.contains("@") && !address.contains("/"));
            safe = !cut && (hasPath(kind) ? PATH : ADDRESS).matcher(address).matches();
        } else {
            safe = isWithoutHost(kind, address, rest);
        }
        return new JdbcUrl(text, wrapper, kind, rest, safe ? start + address : start, safe ? secret : rest);
    }

    /** The same, shown in another way. */
    JdbcUrl withName(String shown) {
        return new JdbcUrl(text, wrapper, kind, rest, shown, secretPart);
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

    /** The URL without the wrapper. */
    String plain() {
        return kind.isEmpty() ? text : "jdbc:" + kind + ":" + rest;
    }

    /** Whether it has a user or a password. */
    boolean hasCredentials() {
        return CREDENTIALS.matcher(rest).matches();
    }

    /** Fails if the driver could not read the URL, or if locks on its database would exclude no other process. */
    void check() {
        checkReadable();
        String plain = plain().toUpperCase(Locale.ROOT);
        if (kind.equals("h2") && plain.contains("AUTO_SERVER")) {
            throw new IllegalArgumentException(
                    "H2 with AUTO_SERVER loses commits when the process that has the file ends, and"
                            + " with them locks and tokens: " + name
                            + ". Use file:PATH for locks on one machine, or run H2 as a server.");
        }
        if (kind.equals("sqlite") && !wrapper.isEmpty()) {
            // Which copy of SQLite it passes on to is not known.
            throw new IllegalArgumentException("SQLite behind the wrapper driver '" + wrapper + "' is not supported: "
                    + name + ". Leave the wrapper out: jdbc:sqlite:PATH or file:PATH.");
        }
        if (plain.matches("(?s)JDBC:H2:MEM:(;.*)?")
                || (plain.startsWith("JDBC:H2:MEM:") && !plain.contains("DB_CLOSE_DELAY=-1"))) {
            throw new IllegalArgumentException(
                    "The database " + name
                            + " is deleted when its last connection is closed, with all locks. Name it, and add ;DB_CLOSE_DELAY=-1.");
        }
        if (plain.equals("JDBC:SQLITE:") || plain.startsWith("JDBC:SQLITE::MEMORY:") || plain.contains("MODE=MEMORY")) {
            throw new IllegalArgumentException("Every connection to " + name
                    + " has its own database, so locks exclude nothing. Use a file: jdbc:sqlite:PATH.");
        }
    }

    /** Refuses a driver that keeps the sessions of closed connections, and with them their locks. */
    public void checkUnpooled() {
        if (POOLED.matcher(plain()).find()) {
            throw new IllegalArgumentException(
                    "With pool=true the driver keeps the sessions of closed connections, and their locks: " + name
                            + ". Leave pool=true out; session locks have dedicated connections.");
        }
    }

    /** Drivers print the whole text of a URL that they cannot parse into an exception or, as that of PostgreSQL, the log. */
    private void checkReadable() {
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

    @Override
    public String toString() {
        return name;
    }
}
