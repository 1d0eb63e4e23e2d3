package io.holdfast.servers;

import java.util.Optional;

/** The system that the bundled servers are built for. */
final class Platform {

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
}
