package io.holdfast.redis.internal.connection;

import io.lettuce.core.ClientOptions;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Refuses versions of Lettuce that are not supported, instead of a {@link LinkageError} later. */
public final class LettuceVersion {

    /*
     * In tests with Lettuce 6.6 and 6.8, connections to a Cluster sometimes never completed a request or a close, so it is refused also
     * where its API would be sufficient.
     */

    /** A method that Lettuce has since 7.0. */
    private static final String NEEDED_METHOD = "maintNotificationsConfig";

    private LettuceVersion() {}

    /**
     * Checks the version on the class path.
     *
     * @throws IllegalStateException if Lettuce is too old; its message has the version found and the version needed
     */
    public static void check() {
        check(ClientOptions.Builder.class);
    }

    static void check(Class<?> optionsBuilder) {
        if (Arrays.stream(optionsBuilder.getMethods())
                .noneMatch(method -> method.getName().equals(NEEDED_METHOD))) {
            throw new IllegalStateException("holdfast-redis needs Lettuce 7.0 or later, but "
                    + text(optionsBuilder.getPackage().getImplementationVersion())
                    + " is on the class path: update io.lettuce:lettuce-core.");
        }
    }

    /** {@code 6.8.1.RELEASE/ec0535e} is written 6.8.1.RELEASE. */
    private static String text(@Nullable String version) {
        return version == null ? "an older version" : "Lettuce " + version.replaceFirst("/.*", "");
    }
}
