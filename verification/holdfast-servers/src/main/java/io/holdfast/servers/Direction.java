package io.holdfast.servers;

/** Which way bytes go through a {@link TcpProxy}. */
public enum Direction {
    /** From the client to the server: requests. */
    TO_SERVER,
    /** From the server to the client: answers. */
    TO_CLIENT
}
