package io.holdfast.jdbc.internal;

import java.io.IOException;
import java.security.cert.CertificateException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Locale;
import java.util.Set;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Decides whether a failure means that the database is unavailable for some time, so that the same request may succeed later. Every other
 * failure is one of configuration: a wrong password, a database or a table that is missing, a missing privilege.
 */
public final class DatabaseAvailability {

    /** Class 28: authentication. Class 3D: no such database. */
    private static final Set<String> CONFIGURATION_STATES = Set.of("28", "3D");

    /**
     * Access denied, to the server or to the database; host not allowed; no such database. Codes of MariaDB and MySQL, which also have states
     * of other classes for them.
     */
    private static final Set<Integer> CONFIGURATION_CODES = Set.of(1044, 1045, 1049, 1130, 1698);

    /**
     * Class 08: connection. 40: rolled back because of a conflict. 53: insufficient resources, such as too many connections. 55: lock not
     * available. 57: the operator has intervened, or the server starts, recovers or shuts down. 58: error of the system. 70: interrupted, on
     * MariaDB and MySQL.
     */
    private static final Set<String> UNAVAILABLE_STATES = Set.of("08", "40", "53", "55", "57", "58", "70");

    private static final String CONNECTION_STATE = "08";

    /** The server of PostgreSQL or its driver rejects the connection as it is configured, for example without a password, or with TLS. */
    private static final String REJECTED = "08004";

    /**
     * Disk full; out of memory or threads; too many connections, of all users or of this one; server shuts down; host blocked after errors;
     * lock timeout. Codes of MariaDB and MySQL.
     */
    private static final Set<Integer> UNAVAILABLE_CODES =
            Set.of(1021, 1037, 1038, 1040, 1041, 1053, 1129, 1135, 1203, 1205, 1226, 1927);

    /** The connection is broken, the database is closed or is being closed, or another session uses it alone. Codes of H2, and its states. */
    private static final Set<String> UNAVAILABLE_H2_STATES = Set.of("90067", "90098", "90121", "90135", "HYT00");

    /** Busy, locked, failed input or output, disk full: primary codes of SQLite, whose driver sets no state. */
    private static final Set<Integer> UNAVAILABLE_SQLITE_CODES = Set.of(5, 6, 10, 13);

    private DatabaseAvailability() {}

    /** Whether the database may be available later, without a change of the configuration. */
    public static boolean isUnavailable(Throwable failure) {
        Set<Throwable> chain = chain(failure);
        return chain.stream().noneMatch(DatabaseAvailability::isConfiguration)
                && chain.stream().anyMatch(DatabaseAvailability::isTemporary);
    }

    /**
     * Whether the database, and not the pool before it, is the reason why there is no connection. A pool that is exhausted says only that it
     * has waited for too long, perhaps with the state of a failed connection.
     */
    public static boolean isUnavailableBehindPool(Throwable failure) {
        return isUnavailable(failure)
                && chain(failure).stream()
                        .anyMatch(each -> each instanceof IOException
                                || (hasUnavailableCode(each) && !(each == failure && isConnectionState(each))));
    }

    private static boolean isConnectionState(Throwable failure) {
        return failure instanceof SQLException sql
                && CONNECTION_STATE.equals(stateClass(sql))
                && !UNAVAILABLE_CODES.contains(sql.getErrorCode());
    }

    private static boolean isConfiguration(Throwable failure) {
        if (failure instanceof UnusableDatabaseException
                || failure instanceof CertificateException
                || failure instanceof SSLPeerUnverifiedException) {
            return true;
        }
        return failure instanceof SQLException sql
                && (CONFIGURATION_STATES.contains(stateClass(sql))
                        || CONFIGURATION_CODES.contains(sql.getErrorCode())
                        || (REJECTED.equals(sql.getSQLState()) && !UNAVAILABLE_CODES.contains(sql.getErrorCode())));
    }

    private static boolean isTemporary(Throwable failure) {
        return failure instanceof SQLTransientException
                || failure instanceof SQLRecoverableException
                || failure instanceof SQLTimeoutException
                || failure instanceof IOException
                || hasUnavailableCode(failure);
    }

    private static boolean hasUnavailableCode(Throwable failure) {
        if (!(failure instanceof SQLException sql)) {
            return false;
        }
        if (failure.getClass().getName().toLowerCase(Locale.ROOT).contains("sqlite")) {
            return UNAVAILABLE_SQLITE_CODES.contains(sql.getErrorCode() & 0xff);
        }
        return UNAVAILABLE_STATES.contains(stateClass(sql))
                || UNAVAILABLE_H2_STATES.contains(String.valueOf(sql.getSQLState()))
                || UNAVAILABLE_CODES.contains(sql.getErrorCode());
    }

    private static String stateClass(SQLException failure) {
        String state = failure.getSQLState();
        return state == null || state.length() < 2 ? "" : state.substring(0, 2);
    }

    /** The failure with all causes, and the failures that are chained as JDBC does it. */
    private static Set<Throwable> chain(Throwable failure) {
        Set<Throwable> found = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> open = new ArrayDeque<>();
        open.add(failure);
        while (!open.isEmpty()) {
            Throwable next = open.remove();
            if (found.add(next)) {
                if (next.getCause() != null) {
                    open.add(next.getCause());
                }
                if (next instanceof SQLException sql && sql.getNextException() != null) {
                    open.add(sql.getNextException());
                }
            }
        }
        return found;
    }
}
