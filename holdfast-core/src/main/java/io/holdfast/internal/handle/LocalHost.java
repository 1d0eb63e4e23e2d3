package io.holdfast.internal.handle;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** The host and the process, shown to people who inspect a lock. */
final class LocalHost {

    static final long PID = ProcessHandle.current().pid();
    static final String NAME = name();

    private LocalHost() {}

    private static String name() {
        String named = System.getenv("HOSTNAME");
        if (named != null && !named.isBlank()) {
            return named;
        }
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException unknown) {
            return "unknown-host";
        }
    }
}
