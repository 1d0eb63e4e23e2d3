package io.holdfast.redis.internal.connection;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;
import io.lettuce.core.api.StatefulConnection;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Which version of Lettuce is on the class path: 6.6 and later are supported. Only here, and in what it guards, is API of 7 used. */
public final class LettuceVersion {

    /** The newest API of Lettuce that is indispensable, of 6.6. */
    private static final String NEEDED_METHOD = "replayFilter";

    private static final boolean HAS_MAINTENANCE_NOTIFICATIONS =
            hasMethod(ClientOptions.Builder.class, "maintNotificationsConfig");
    private static final boolean HAS_CODEC_GETTER = hasMethod(StatefulConnection.class, "getCodec");

    private LettuceVersion() {}

    /**
     * Refuses versions that are not supported, with a message that has both versions.
     *
     * @throws IllegalStateException if Lettuce is too old
     */
    public static void check() {
        check(ClientOptions.Builder.class);
    }

    static void check(Class<?> optionsBuilder) {
        if (!hasMethod(optionsBuilder, NEEDED_METHOD)) {
            throw new IllegalStateException("holdfast-redis needs Lettuce 6.6 or later, but "
                    + text(optionsBuilder.getPackage().getImplementationVersion())
                    + " is on the class path. Update io.lettuce:lettuce-core.");
        }
    }

    /** Whether a connection has its codec; otherwise it cannot be determined in which slot a key is as it is sent. */
    public static boolean hasCodecGetter() {
        return HAS_CODEC_GETTER;
    }

    /** Lettuce 7 subscribes to them by default. They are not needed: a lease has its own timeout. */
    static void disableMaintenanceNotifications(ClientOptions.Builder builder) {
        if (HAS_MAINTENANCE_NOTIFICATIONS) {
            MaintenanceNotifications.disable(builder);
        }
    }

    private static boolean hasMethod(Class<?> type, String name) {
        return Arrays.stream(type.getMethods())
                .anyMatch(method -> method.getName().equals(name));
    }

    /** {@code 6.5.5.RELEASE/cb02888} is written 6.5.5.RELEASE. */
    private static String text(@Nullable String version) {
        return version == null ? "an older version" : "Lettuce " + version.replaceFirst("/.*", "");
    }

    /** A class of its own, because it cannot be linked with Lettuce 6. */
    private static final class MaintenanceNotifications {

        private MaintenanceNotifications() {}

        static void disable(ClientOptions.Builder builder) {
            builder.maintNotificationsConfig(MaintNotificationsConfig.disabled());
        }
    }
}
