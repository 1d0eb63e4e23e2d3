package io.holdfast.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.function.IntFunction;

/** Looks for ports on loopback. */
final class FreePort {

    /** Redis Cluster talks on the port that is this much higher. */
    static final int BUS_OFFSET = 10_000;

    /*
     * Below the ports that systems give to outgoing connections, with and without the offset: otherwise such a connection
     * may take the port while a server is down and about to come back on it.
     */
    private static final int FIRST = 12_000;

    private static final int COUNT = 10_000;

    private static final int TRIES = 10;

    private FreePort() {}

    /** A port that is free now, and so is the one with the offset; it may be taken before it is used. */
    static int find() {
        return new Random()
                .ints(FIRST, FIRST + COUNT)
                .filter(port -> isFree(port) && isFree(port + BUS_OFFSET))
                .findFirst()
                .orElseThrow();
    }

    /** Starts a server on a port that is free, and on another one if that was taken by the time the server bound it. */
    static <S> S take(IntFunction<S> starter) {
        for (int tried = 1; ; tried++) {
            try {
                return starter.apply(find());
            } catch (ServerException failed) {
                if (tried == TRIES || !String.valueOf(failed.getMessage()).contains("Address already in use")) {
                    throw failed;
                }
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
