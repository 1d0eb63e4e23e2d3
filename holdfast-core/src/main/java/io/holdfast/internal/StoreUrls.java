package io.holdfast.internal;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.StoreProvider;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Finds the store for a URL, and hides what must not be printed of one. */
public final class StoreUrls {

    private static final Pattern CREDENTIALS = Pattern.compile("//[^/@]*@");
    private static final Pattern PASSWORD = Pattern.compile("(?i)((?:password|passwd|pwd|secret|token)=)[^&;]*");

    /** Which artifact brings a scheme; for the message that it is missing. */
    private static final Map<String, String> ARTIFACTS = Map.of(
            "redis", "holdfast-redis",
            "rediss", "holdfast-redis",
            "redis-sentinel", "holdfast-redis",
            "redis-cluster", "holdfast-redis",
            "redlock", "holdfast-redis",
            "jdbc", "holdfast-jdbc",
            "file", "holdfast-jdbc",
            "zookeeper", "holdfast-zookeeper");

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
        String artifact = ARTIFACTS.get(scheme);
        throw new IllegalArgumentException("No store for '" + redacted(url) + "': the scheme '" + scheme
                + "' is not known here, only " + known + "."
                + (artifact == null
                        ? " A URL looks like memory:NAME or redis://localhost:6379."
                        : " Add the artifact io.holdfast:" + artifact + " to the class path."));
    }

    /** The URL without user, password and other secrets. */
    public static String redacted(String url) {
        String withoutUser = CREDENTIALS.matcher(url).replaceAll("//***@");
        return PASSWORD.matcher(withoutUser).replaceAll("$1***");
    }
}
