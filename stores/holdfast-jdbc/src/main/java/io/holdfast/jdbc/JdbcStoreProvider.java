package io.holdfast.jdbc;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;

/**
 * Opens {@code jdbc:} URLs as lease tables, and {@code file:} URLs as a lease table in a file: {@code file:locks.db},
 * {@code file:/var/lib/app/locks.db} or {@code file:///var/lib/app/locks.db}.
 */
public final class JdbcStoreProvider implements StoreProvider {

    private static final String FILE = "file";

    @Override
    public Set<String> schemes() {
        return Set.of("jdbc", FILE);
    }

    @Override
    public LockStore open(String url, Environment environment) {
        return url.toLowerCase(Locale.ROOT).startsWith(FILE + ":")
                ? JdbcStore.file(path(url)).open(environment)
                : JdbcStore.leaseTable(url).open(environment);
    }

    /** The text after the scheme; only the form with two slashes is a URI. */
    private static Path path(String url) {
        String text = url.substring(FILE.length() + 1);
        if (text.isBlank()) {
            throw new IllegalArgumentException(
                    "A file: URL names a file, such as file:/var/lib/app/locks.db: '" + url + "'");
        }
        try {
            return text.startsWith("//") ? Path.of(URI.create(url)) : Path.of(text);
        } catch (InvalidPathException wrong) {
            throw new IllegalArgumentException("'" + url + "' does not name a file: " + wrong.getMessage(), wrong);
        }
    }
}
