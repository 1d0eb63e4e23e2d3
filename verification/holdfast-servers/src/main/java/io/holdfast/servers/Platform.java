package io.holdfast.servers;

import java.util.Optional;
import java.util.Set;

/** The systems that the bundled servers are built for. */
final class Platform {

    private static final Set<String> REDIS =
            Set.of("Linux amd64", "Linux aarch64", "Mac OS X x86_64", "Mac OS X aarch64");

    private Platform() {}

    /** Why a server, whose artifact has this file, cannot run here. */
    static Optional<String> obstacle(String server, String file) {
        if (!System.getProperty("os.name").equals("Linux")
                || !System.getProperty("os.arch").equals("amd64")) {
            return Optional.of("the binary of " + server + " is for Linux on amd64 only");
        }
        return BundledFile.find(file).isPresent()
                ? Optional.empty()
                : Optional.of("the artifact of " + server + " is not on the class path");
    }

    /** Why Redis cannot run here. */
    static Optional<String> redisObstacle() {
        return REDIS.contains(System.getProperty("os.name") + " " + System.getProperty("os.arch"))
                ? Optional.empty()
                : Optional.of("the binaries of Redis are for Linux and macOS on amd64 and aarch64 only");
    }
}
