package io.holdfast.benchmarks.redis;

import io.holdfast.servers.RespClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Lets many claims of several clients wait for one name, and gives it to one after the other.
 *
 * @param arrival how they come
 * @param count how many
 */
record WaitingTask(Arrival arrival, int count) implements Task {

    static final String NAME = "waiting";

    private static final String LOCK = "concert";
    private static final int CLIENTS = 4;
    private static final long LONG_MICROS = 5_000;
    private static final long LOOK_AGAIN_NANOS = 100_000;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** How claims come to the queue. In any case they leave it one after the other. */
    enum Arrival {
        /** Each when the one before is in the queue, so that one can tell what the server does for each. */
        ONE_BY_ONE("Holdfast", true),
        /** All claims of a client are sent at once. */
        TOGETHER("Holdfast, all at once", true),
        /** The same, from a client that leaves the server no more of the processors than itself. */
        TOGETHER_IN_A_CROWD("Holdfast, all at once, client as important as server", false);

        private final String row;
        private final boolean modest;

        Arrival(String row, boolean modest) {
            this.row = row;
            this.modest = modest;
        }

        /** As the table shows it. */
        String row() {
            return row;
        }
    }

    @Override
    public Answer run(int port, Cue cue) {
        try (RespClient server = RespClient.connect(port)) {
            List<QueueClient> clients = IntStream.range(0, CLIENTS)
                    .mapToObj(i -> new QueueClient(port))
                    .toList();
            // From now on the server knows the scripts, and they take no second request.
            clients.forEach(client -> client.claim("first").leave());
            cue.await();
            return measure(server, clients);
        }
    }

    private Answer measure(RespClient server, List<QueueClient> clients) {
        long pid = Long.parseLong(server.field("process_id", "INFO", "server"));
        server.call("CONFIG", "SET", "slowlog-log-slower-than", "100");
        server.call("SLOWLOG", "RESET");
        server.call("CONFIG", "RESETSTAT");
        ProcessorTime begin = ProcessorTime.of(pid);
        Steps steps = new Steps(pid);
        QueueClient.Place holder = clients.get(0).claim(LOCK);
        holder.awaitTurn();
        List<QueueClient.Place> queue = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int client = client(i);
            queue.add(clients.get(client).claim(LOCK));
            // Those of the next client come after all of this one, so that the order is known.
            if (arrival == Arrival.ONE_BY_ONE || client(i + 1) != client) {
                awaitWaiting(server, i + 1);
                steps.end();
            }
        }
        int served = 0;
        for (QueueClient.Place next : queue) {
            holder.leave();
            next.awaitTurn();
            steps.end();
            served++;
            holder = next;
        }
        holder.leave();
        ProcessorTime used = ProcessorTime.of(pid).since(begin);

        Map<String, String> found = scripts(server);
        if (arrival == Arrival.ONE_BY_ONE) {
            found.put(Column.STEP_LONGEST.name(), Double.toString(steps.longest() / 1e6));
            found.put(Column.STEP_TOO_LONG.name(), Long.toString(steps.above(LONG_MICROS * 1_000)));
        }
        found.put(Column.SERVER_WAITING.name(), Double.toString(used.waiting() / 1e6));
        found.put(Column.SERVED.name(), Integer.toString(served));
        return new Answer(found);
    }

    private int client(int claim) {
        return claim * CLIENTS / count;
    }

    /** How long scripts took by the server's clock, which goes on while another process has the processor. */
    private static Map<String, String> scripts(RespClient server) {
        String stats = server.field("cmdstat_evalsha", "INFO", "commandstats");
        long[] micros = server.list("SLOWLOG", "GET", "-1").stream()
                .map(entry -> (List<?>) entry)
                .filter(entry -> String.valueOf(entry.get(3)).contains("EVALSHA"))
                .mapToLong(entry -> (Long) entry.get(2))
                .toArray();
        server.call("CONFIG", "SET", "slowlog-log-slower-than", "10000");
        server.call("SLOWLOG", "RESET");
        Map<String, String> found = new HashMap<>();
        found.put(Column.SCRIPTS.name(), stats.replaceAll("calls=([0-9]+),.*", "$1"));
        found.put(Column.SCRIPT_MEAN.name(), stats.replaceAll(".*usec_per_call=([0-9.]+).*", "$1"));
        found.put(
                Column.SCRIPT_LONGEST.name(),
                Double.toString(Arrays.stream(micros).max().orElse(0) / 1e3));
        found.put(
                Column.SCRIPT_TOO_LONG.name(),
                Long.toString(
                        Arrays.stream(micros).filter(each -> each > LONG_MICROS).count()));
        return found;
    }

    private static void awaitWaiting(RespClient server, int expected) {
        long begin = System.nanoTime();
        while (!Integer.toString(expected).equals(server.call("HGET", "holdfast:{" + LOCK + "}", "waiting"))) {
            if (System.nanoTime() - begin > LIMIT_NANOS) {
                throw new IllegalStateException("not all of " + expected + " wait");
            }
            // The questions are counted as work of the server, too.
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
    }

    /** Leaves the processors to the server, unless it says otherwise: elsewhere a server has a machine of its own. */
    @Override
    public List<String> launcher() {
        return arrival.modest ? List.of("chrt", "-i", "0") : List.of();
    }

    @Override
    public List<String> args() {
        return List.of(NAME, arrival.name(), Integer.toString(count));
    }

    static WaitingTask parse(List<String> args) {
        return new WaitingTask(Arrival.valueOf(args.get(1)), Integer.parseInt(args.get(2)));
    }
}
