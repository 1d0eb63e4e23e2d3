package io.holdfast.jdbc.internal;

/** The logger of the module. Its name is that of the public class that opens the stores. */
public final class StoreLog {

    public static final System.Logger LOGGER = System.getLogger("io.holdfast.jdbc.JdbcStore");

    private StoreLog() {}
}
