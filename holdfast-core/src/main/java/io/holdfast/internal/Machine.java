package io.holdfast.internal;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Who we are, for people who look at a lock. */
final class Machine {

    static final long PID = ProcessHandle.current().pid();
    static final String HOST = host();

    private Machine() {}

    private static String host() {
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
