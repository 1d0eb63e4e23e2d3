package io.holdfast.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.util.Optional;

/** A file of an artifact on the class path. */
record BundledFile(URL url) {

    static Optional<BundledFile> find(String name) {
        return Optional.ofNullable(BundledFile.class.getResource(name)).map(BundledFile::new);
    }

    static BundledFile get(String name) {
        return find(name).orElseThrow(() -> new ServerException(name + " is not on the class path"));
    }

    InputStream open() {
        try {
            return url.openStream();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Changes with the content. */
    String fingerprint() {
        try {
            URLConnection connection = url.openConnection();
            return connection instanceof JarURLConnection jar
                    ? Long.toHexString(jar.getJarEntry().getCrc())
                    : connection.getContentLengthLong() + "-" + connection.getLastModified();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
