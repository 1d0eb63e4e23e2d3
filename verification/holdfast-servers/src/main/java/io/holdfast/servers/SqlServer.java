package io.holdfast.servers;

/**
 * A real SQL server on a free port of loopback, with an empty database {@code holdfast}. What has been committed survives
 * {@link #kill} and {@link #restart}, except the last commits of {@link H2Server}. The driver is the caller's choice. Thread-safe.
 */
public abstract sealed class SqlServer implements AutoCloseable
        permits PostgresServer, MariaDbServer, MySqlServer, H2Server {

    private final ChildProcess process;
    private final int port;

    SqlServer(ChildProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /** What a driver takes to connect, with user and password in it, by another port: that of a proxy. */
    public abstract String url(int port);

    /** What a driver takes to connect, with user and password in it. */
    public final String url() {
        return url(port);
    }

    public final int port() {
        return port;
    }

    /** The process id of the server; after a restart, another one. */
    public final long pid() {
        return process.pid();
    }

    public final boolean isAlive() {
        return process.isAlive();
    }

    /** All that the server has printed. */
    public final String log() {
        return process.log();
    }

    /** Stops the server with all of its processes in its tracks (SIGSTOP): connections stay open, nothing is answered. */
    public final void pause() {
        process.pause();
    }

    /** Lets a paused server go on. */
    public final void resume() {
        process.resume();
    }

    /** Asks the server to end (SIGTERM), which writes what it has not written yet, and returns when it is gone. */
    public final void terminate() {
        process.terminate();
    }

    /** Ends the server with all of its processes without warning (SIGKILL) and returns when they are gone. */
    public final void kill() {
        process.kill();
    }

    /** Starts the server again on the same port, with its data. Kills it first if it runs. */
    public final void restart() {
        process.restart();
    }

    /** Kills the server and removes its folder. Idempotent. */
    @Override
    public void close() {
        process.close();
    }
}
