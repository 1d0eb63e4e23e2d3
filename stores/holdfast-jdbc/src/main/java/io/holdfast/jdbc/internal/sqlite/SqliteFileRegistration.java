package io.holdfast.jdbc.internal.sqlite;

import io.holdfast.jdbc.internal.ClassLoaderName;
import io.holdfast.jdbc.internal.UnusableDatabaseException;
import java.lang.ref.Cleaner;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Properties;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Registers, for the whole JVM, which copy of SQLite uses a file, so that no two copies use the same one. */
public final class SqliteFileRegistration {

    /*
     * Safety. SQLite locks files with fcntl(), whose locks belong to the process: they do not exclude another copy of SQLite
     * in the same process, and when one copy closes the file, the locks of the other end, too. One copy handles this for its
     * own connections. Every class loader that has the driver has a copy. So a file is used by one copy at a
     * time, and a store of another one is refused before it opens the file, even to read its header.
     *
     * The record is a system property for each store, for that is what all class loaders share. Keys and values are strings,
     * so class loaders can be garbage-collected, and code that lists the properties works. A string literal is the same object in
     * the whole JVM: its monitor makes checking and recording atomic.
     *
     * The record is removed by close(), after the last connection is closed; or, if that is never called, when this object is
     * garbage-collected. The threads of a store refer to it, so by then no thread can write to the file.
     */

    /** The prefix of the system properties. Its monitor is held while a use is recorded. */
    public static final String PROPERTY_PREFIX = "io.holdfast.sqlite";

    private static final char SEPARATOR = '#';

    private final SqliteFile file;
    private final @Nullable ClassLoader loader;
    private final String copy;
    private final String property;
    private final Cleaner.Cleanable record;

    private SqliteFileRegistration(SqliteFile file, Class<?> driver) {
        this.file = file;
        this.loader = driver.getClassLoader();
        // Two random numbers: one alone is the same for two classes once in two billion times.
        this.copy = Integer.toHexString(System.identityHashCode(driver)) + "-"
                + Integer.toHexString(System.identityHashCode(loader)) + " ";
        this.property = PROPERTY_PREFIX + "." + file.key() + SEPARATOR + UUID.randomUUID();
        this.record = CleanerHolder.CLEANER.register(this, removal(property));
    }

    /**
     * Creates the file if it is missing, and records the use. Fails if locks in the file would not work.
     *
     * @param driver its class loader has the copy of SQLite
     */
    public static SqliteFileRegistration of(Path path, Class<?> driver) throws SQLException {
        synchronized (PROPERTY_PREFIX) {
            SqliteFileRegistration registration =
                    new SqliteFileRegistration(SqliteFile.at(path, SqliteFile::fileSystem), driver);
            registration.record();
            return registration;
        }
    }

    /** Checks the file before a connection is opened. Also records the use again, because a property may have been removed. */
    public void check() throws SQLException {
        record();
        file.check();
    }

    private void record() throws SQLException {
        synchronized (PROPERTY_PREFIX) {
            Properties properties = System.getProperties();
            for (String name : properties.stringPropertyNames()) {
                String user = isOfFile(name) ? properties.getProperty(name) : null;
                if (user != null && !user.startsWith(copy)) {
                    throw new UnusableDatabaseException(refusal(user.substring(user.indexOf(' ') + 1)));
                }
            }
            properties.setProperty(property, copy + ClassLoaderName.of(loader));
        }
    }

    private boolean isOfFile(String name) {
        int end = property.lastIndexOf(SEPARATOR);
        return name.lastIndexOf(SEPARATOR) == end && name.startsWith(property.substring(0, end));
    }

    private String refusal(String other) {
        return file + " is in use in this JVM by another copy of SQLite, which was loaded by " + other
                + "; the one of this store was loaded by " + ClassLoaderName.of(loader)
                + ". Two copies in one process do not exclude each other, and both could grant the same lock. Put one"
                + " org.xerial:sqlite-jdbc into a class loader that the applications share, and none into the applications; or use"
                + " another store. If the other one is an earlier deployment of this application: close its Holdfast when it"
                + " is undeployed. Until it is closed, it may hold locks.";
    }

    public void close() {
        record.clean();
    }

    /** Static: with a reference to this object, it could never be garbage-collected. */
    private static Runnable removal(String property) {
        return () -> System.getProperties().remove(property);
    }

    /** Created for the first file only: the cleaner has a thread, which ends when the class loader is garbage-collected. */
    private static final class CleanerHolder {

        static final Cleaner CLEANER = Cleaner.create();
    }
}
