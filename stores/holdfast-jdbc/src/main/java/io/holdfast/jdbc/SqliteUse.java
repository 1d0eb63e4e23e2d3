package io.holdfast.jdbc;

import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Properties;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A record, for the whole JVM, that a store uses a file with the copy of SQLite that it has. */
final class SqliteUse implements AutoCloseable {

    /*
     * Safety. SQLite locks files with fcntl(), whose locks belong to the process: they do not exclude another copy of SQLite
     * in the same process, and when one copy closes the file, the locks of the other end, too. One copy handles this for its
     * own connections. Every class loader that has the driver has a copy. So a file is used by one copy at a
     * time, and a store of another one is refused before it opens the file, even to read its header.
     *
     * The record is a system property for each store, for that is what all class loaders share. Keys and values are strings,
     * so no class loader is kept from being collected, and code that lists the properties works. A string literal is the
     * same object in the whole JVM: its monitor makes checking and recording atomic.
     *
     * The record ends with close(), which comes after the last connection is closed; or, if that is never called, when this
     * object is garbage. The threads of a store refer to it, so by then no thread can write to the file.
     */

    /** Uses are recorded while its monitor is held. */
    static final String JVM = "io.holdfast.sqlite";

    private static final char SEPARATOR = '#';

    private final Path path;
    private final String file;
    private final @Nullable ClassLoader loader;
    private final String copy;
    private final String property;
    private final Cleaner.Cleanable record;

    /**
     * Records nothing yet.
     *
     * @param path for messages
     * @param key what the file is known by, whatever its path
     * @param driver the class of the driver; its class loader has the copy of SQLite
     */
    SqliteUse(Path path, String key, Class<?> driver) {
        this.path = path;
        this.file = JVM + "." + key;
        this.loader = driver.getClassLoader();
        // Two numbers that are random: one alone may be the same for two classes, once in two billion times.
        this.copy = Integer.toHexString(System.identityHashCode(driver)) + "-"
                + Integer.toHexString(System.identityHashCode(loader)) + " ";
        this.property = file + SEPARATOR + UUID.randomUUID();
        this.record = Lost.CLEANER.register(this, new Removal(property));
    }

    /** Records the use, also again, for a property may have been removed; fails if another copy of SQLite uses the file. */
    void record() throws SQLException {
        synchronized (JVM) {
            Properties properties = System.getProperties();
            for (String name : properties.stringPropertyNames()) {
                String user = isOfFile(name) ? properties.getProperty(name) : null;
                if (user != null && !user.startsWith(copy)) {
                    throw new SqliteFile.Unusable(refusal(user.substring(user.indexOf(' ') + 1)));
                }
            }
            properties.setProperty(property, copy + LoaderText.of(loader));
        }
    }

    private boolean isOfFile(String name) {
        int end = name.lastIndexOf(SEPARATOR);
        return end == file.length() && name.startsWith(file);
    }

    private String refusal(String other) {
        return path + " is in use in this JVM by another copy of SQLite, which was loaded by " + other
                + "; the one of this store was loaded by " + LoaderText.of(loader)
                + ". Two copies in one process do not exclude each other, and both could grant the same lock. Put one"
                + " org.xerial:sqlite-jdbc into a class loader that the applications share, and none into the applications; or use"
                + " another store. If the other one is an earlier deployment of this application: close its Holdfast when it"
                + " is undeployed. Until it is closed, it may hold locks.";
    }

    @Override
    public void close() {
        record.clean();
    }

    /** Without a reference to the use, which could never become garbage otherwise. */
    private record Removal(String property) implements Runnable {

        @Override
        public void run() {
            System.getProperties().remove(property);
        }
    }

    /** Has a thread, which ends when the class loader is garbage; so only where there is a file. */
    private static final class Lost {

        static final Cleaner CLEANER = Cleaner.create();
    }
}
