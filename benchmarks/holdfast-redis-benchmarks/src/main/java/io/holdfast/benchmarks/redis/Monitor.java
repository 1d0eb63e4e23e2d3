package io.holdfast.benchmarks.redis;

import io.holdfast.servers.RespClient;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/**
 * Counts the commands that clients send, as the server echoes them. What scripts do inside the server is not counted, nor
 * what is done under the lock.
 */
final class Monitor implements AutoCloseable {

    /** Time and client, as in {@code 1339518083.107412 [0 127.0.0.1:60866] "get" "data"}. */
    private static final Pattern BY_SCRIPT = Pattern.compile("^[0-9.]+ \\[[0-9]+ lua\\].*");

    private static final Pattern UNDER_THE_LOCK =
            Pattern.compile(".*\\] \"(?:get|set)\" \"" + DataKey.NAME + "\".*", Pattern.CASE_INSENSITIVE);

    private final RespClient control;
    private final RespClient echo;
    private final String end = UUID.randomUUID().toString();
    private final CompletableFuture<Long> count;

    Monitor(RespClient control, RespClient echo) {
        this.control = control;
        this.echo = echo;
        echo.call("MONITOR");
        this.count = CompletableFuture.supplyAsync(this::readToTheEnd);
    }

    /** How many there were since the monitor was made. */
    long stop() {
        control.call("ECHO", end);
        return count.join();
    }

    private long readToTheEnd() {
        long sent = 0;
        for (String line = line(); !line.contains(end); line = line()) {
            if (isSent(line)) {
                sent++;
            }
        }
        return sent;
    }

    private String line() {
        return String.valueOf(echo.receive());
    }

    static boolean isSent(String line) {
        return !BY_SCRIPT.matcher(line).matches()
                && !UNDER_THE_LOCK.matcher(line).matches();
    }

    @Override
    public void close() {
        echo.close();
    }
}
