package io.holdfast.spi;

import java.util.Set;

/** Opens stores by URL; found through {@link java.util.ServiceLoader}. */
public interface StoreProvider {

    /** The URL schemes this provider opens, in lower case and without the colon. */
    Set<String> schemes();

    /**
     * Opens the store behind {@code url}. The caller closes it.
     *
     * @throws IllegalArgumentException if the URL is malformed; the message must not repeat credentials
     */
    LockStore open(String url, Environment environment);
}
