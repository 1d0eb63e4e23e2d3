package io.holdfast.jdbc;

import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;

/** {@code file:} URLs: {@code file:locks.db}, {@code file:/var/lib/app/locks.db} or {@code file:///var/lib/app/locks.db}. */
final class FileUrl {

    static final String SCHEME = "file";

    private FileUrl() {}

    static boolean matches(String url) {
        return url.toLowerCase(Locale.ROOT).startsWith(SCHEME + ":");
    }

    /** Taken as it is, but for the form with two slashes, which is a URI. */
    static Path path(String url) {
        String text = url.substring(SCHEME.length() + 1);
        if (text.isBlank()) {
            throw new IllegalArgumentException(
                    "A file: URL names a file, such as file:/var/lib/app/locks.db: '" + url + "'");
        }
        try {
            return text.startsWith("//") ? Path.of(URI.create(url)) : Path.of(text);
        } catch (InvalidPathException wrong) {
            throw new IllegalArgumentException("'" + url + "' is no file: " + wrong.getMessage(), wrong);
        }
    }

    /** The driver takes '?' in a name for the beginning of its parameters. */
    static Source source(Path file) {
        if (file.toString().contains("?")) {
            throw new IllegalArgumentException("The name of a file of locks must not have a question mark: " + file);
        }
        return UrlSource.of(JdbcUrl.of("jdbc:sqlite:" + file), SCHEME + ":" + file);
    }
}
