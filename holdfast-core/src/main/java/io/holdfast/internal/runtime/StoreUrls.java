package io.holdfast.internal.runtime;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** Finds the store for a URL. */
public final class StoreUrls {

    /** Which artifact brings a scheme; for the message that it is missing. */
    private static final Map<String, String> ARTIFACTS = Map.of(
            "redis", "holdfast-redis",
            "rediss", "holdfast-redis",
            "redis-sentinel", "holdfast-redis",
            "redis-cluster", "holdfast-redis",
            "jdbc", "holdfast-jdbc",
            "file", "holdfast-jdbc");

    private StoreUrls() {}

    /** Opens the store behind {@code url} with the provider that knows its scheme. */
    public static LockStore open(String url, Environment environment) {
        int colon = url.indexOf(':');
        String scheme = colon < 0 ? "" : url.substring(0, colon).toLowerCase(Locale.ROOT);
        TreeSet<String> known = new TreeSet<>();
        for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, StoreUrls.class.getClassLoader())) {
            if (provider.schemes().contains(scheme)) {
                return provider.open(url, environment);
            }
            known.addAll(provider.schemes());
        }
        // Of the URL only the scheme is repeated: the rest may hold a password, in more forms than could be told apart.
        String artifact = ARTIFACTS.get(scheme);
        throw new IllegalArgumentException("No store for the URL scheme '" + scheme + "'; known here: " + known + "."
                + (artifact == null
                        ? " A URL looks like memory:NAME or redis://localhost:6379."
                        : " Add the artifact io.holdfast:" + artifact + "."));
    }
}
