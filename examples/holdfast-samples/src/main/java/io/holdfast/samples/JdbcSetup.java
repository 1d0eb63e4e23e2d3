package io.holdfast.samples;

// region lease-table
import io.holdfast.Holdfast;
import io.holdfast.jdbc.JdbcStore;
import java.net.PasswordAuthentication;
import java.time.Duration;
import java.util.function.Supplier;
import javax.sql.DataSource;
// endregion

/** Locks in a database, with settings that a URL does not have. */
public final class JdbcSetup {

    private JdbcSetup() {}

    /** A table of leases. */
    public static Holdfast leaseTable(String password) {
        // region lease-table
        Holdfast holdfast = Holdfast.builder(JdbcStore.leaseTable("jdbc:postgresql://db.example/orders")
                        .credentials("orders", password)
                        .table("locks.lease")
                        .connections(3)
                        .timeout(Duration.ofSeconds(3))
                        .createTables())
                .label("orders")
                .build();
        // endregion
        return holdfast;
    }

    /** On connections of the application's pool. */
    public static Holdfast dataSource(DataSource dataSource) {
        // region data-source
        Holdfast holdfast = Holdfast.builder(JdbcStore.leaseTable(dataSource))
                .label("orders")
                .build();
        // endregion
        return holdfast;
    }

    /** A token that expires, for every new connection. */
    public static Holdfast credentials(Supplier<String> token) {
        // region credentials
        Holdfast holdfast = Holdfast.builder(JdbcStore.leaseTable("jdbc:postgresql://db.example/orders")
                        .credentials(() ->
                                new PasswordAuthentication("orders", token.get().toCharArray())))
                .build();
        // endregion
        return holdfast;
    }

    /** Locks of sessions. */
    public static Holdfast sessionLocks(String password) {
        // region session-locks
        Holdfast holdfast = Holdfast.builder(
                        JdbcStore.sessionLocks("jdbc:mariadb://db.example/orders?user=orders&password=" + password)
                                .createTables())
                .build();
        // endregion
        return holdfast;
    }
}
