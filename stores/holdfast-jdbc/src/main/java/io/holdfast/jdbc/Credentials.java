package io.holdfast.jdbc;

import java.net.PasswordAuthentication;
import java.sql.SQLException;
import java.util.Properties;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** User and password for new connections, perhaps other ones for each of them. */
final class Credentials {

    /** Those in the URL, if any. */
    static final Credentials NONE = new Credentials(null);

    private final @Nullable Supplier<? extends @Nullable PasswordAuthentication> supplier;

    private Credentials(@Nullable Supplier<? extends @Nullable PasswordAuthentication> supplier) {
        this.supplier = supplier;
    }

    static Credentials of(String user, String password) {
        PasswordAuthentication fixed = new PasswordAuthentication(user, password.toCharArray());
        return new Credentials(() -> fixed);
    }

    static Credentials of(Supplier<? extends @Nullable PasswordAuthentication> supplier) {
        return new Credentials(supplier);
    }

    /** Calls the supplier. What it fails with is not passed on, for it may contain a secret: only its class and where it was. */
    void addTo(Properties properties) throws SQLException {
        if (supplier == null) {
            return;
        }
        PasswordAuthentication login;
        try {
            login = supplier.get();
        } catch (RuntimeException failure) {
            SQLException place = new SQLException(failure.getClass().getName());
            place.setStackTrace(failure.getStackTrace());
            throw new SQLException(
                    "The supplier of credentials, " + supplier.getClass().getName() + ", threw "
                            + failure.getClass().getName()
                            + "; its message is not shown, because it may contain a secret.",
                    place);
        }
        if (login == null || login.getUserName() == null) {
            throw new SQLException("The supplier of credentials, "
                    + supplier.getClass().getName() + ", returned " + (login == null ? "null." : "no user name."));
        }
        properties.setProperty("user", login.getUserName());
        properties.setProperty("password", new String(login.getPassword()));
    }
}
