package io.holdfast.jdbc.internal.dialect;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Detects servers that use the protocol of PostgreSQL or MySQL, but on which locks would not be safe, and servers that are too old. Drivers
 * call each of them PostgreSQL or MySQL, so they are recognised by the result of {@code version()}.
 */
final class UnsupportedServers {

    private static final String CLOCKS =
            " is not supported: each of its nodes has its own clock, and a lease would expire by the clock of the node that a"
                    + " connection happens to reach. ";

    private static final String INSTEAD = " Use PostgreSQL, MariaDB, MySQL or Redis for the locks.";

    private static final String TOO_OLD = " is not supported: it has no SKIP LOCKED. Use ";

    /** The version of an enterprise server has one more part. */
    private static final Pattern MARIADB = Pattern.compile("(\\d+)\\.(\\d+)\\.\\d+(-\\d+)?-MariaDB");

    private static final Pattern OLD_MYSQL = Pattern.compile("^[1-7]\\.\\d+");

    private static final Pattern OLD_POSTGRES = Pattern.compile("^PostgreSQL (\\d|10|11)\\b");

    private static final Pattern OLD_H2 =
            Pattern.compile("^H2 (1\\.\\d+|2\\.[01]|2\\.2\\.(\\d{1,2}|1\\d\\d|20\\d|21\\d))\\b");

    private UnsupportedServers() {}

    /** Why locks are refused on a server of that version; null if they are not. */
    static @Nullable String refusal(@Nullable String version) {
        String text = String.valueOf(version);
        if (text.startsWith("CockroachDB")) {
            return "CockroachDB" + CLOCKS + "Also, its advisory locks of sessions are stubs that exclude no process."
                    + INSTEAD;
        }
        if (text.contains("-YB-")) {
            return "YugabyteDB" + CLOCKS
                    + "Also, versions before 2025 have neither advisory locks nor LISTEN and NOTIFY." + INSTEAD;
        }
        if (text.contains("TiDB")) {
            return "TiDB" + CLOCKS + "Also, IS_USED_LOCK() does not return the session that has a lock of GET_LOCK()."
                    + INSTEAD;
        }
        Matcher mariaDb = MARIADB.matcher(text);
        if (mariaDb.find()) {
            int major = Integer.parseInt(mariaDb.group(1));
            int minor = Integer.parseInt(mariaDb.group(2));
            if (major < 10 || (major == 10 && minor < 6)) {
                return "MariaDB " + major + "." + minor + TOO_OLD + "MariaDB 10.6 or later.";
            }
            return null;
        }
        Matcher postgres = OLD_POSTGRES.matcher(text);
        if (postgres.find()) {
            return postgres.group()
                    + " is not supported: it has no WITH … AS MATERIALIZED. Use PostgreSQL 12 or later.";
        }
        Matcher h2 = OLD_H2.matcher(text);
        if (h2.find()) {
            return h2.group() + TOO_OLD + "H2 2.2.220 or later.";
        }
        Matcher oldMySql = OLD_MYSQL.matcher(text);
        return oldMySql.find() ? "MySQL " + oldMySql.group() + TOO_OLD + "MySQL 8 or later." : null;
    }
}
