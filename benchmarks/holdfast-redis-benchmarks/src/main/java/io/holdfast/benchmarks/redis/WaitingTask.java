package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Answer;
import io.holdfast.benchmarks.kit.Cue;
import io.holdfast.benchmarks.kit.Task;
import io.holdfast.servers.RespClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Lets many claims of several clients wait for one name, and gives it to one after the other.
 *
 * @param port where the server is
 * @param queueing what happens before
 * @param count how many claims there are
 */
record WaitingTask(int port, Queueing queueing, int count) implements Task {

    static final int CLIENTS = 4;

    /** Under which the answer says why not all were served; empty if they were. */
    static final String TROUBLE = "trouble";

    private static final String LOCK = "concert";
    private static final long LONG_MICROS = 5_000;
    private static final long LOOK_AGAIN_NANOS = 100_000;
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    @Override
    public Answer run(Cue cue) {
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
        server.call("CONFIG", "RESETSTAT");
        ProcessorTime begin = ProcessorTime.of(pid);
        Steps steps = new Steps(pid);
        QueueClient.Place holder = clients.get(CLIENTS - 1).claim(LOCK);
        holder.awaitTurn();
        steps.end();
        List<QueueClient.Place> queue = queueUp(server, clients, steps);
        thinOut(clients, queue);
        Served served = serve(holder, queue, steps);
        ProcessorTime used = ProcessorTime.of(pid).since(begin);

        Map<String, String> found = scripts(server);
        if (queueing.isOneByOne()) {
            found.put(RedisColumn.STEP_LONGEST.heading(), Double.toString(steps.longestTwo() / 1e6));
        }
        found.put(RedisColumn.SERVER_WAITING.heading(), Double.toString(used.waiting() / 1e6));
        found.put(RedisColumn.SERVED.heading(), Integer.toString(served.count()));
        found.put(TROUBLE, served.trouble());
        return new Answer(found);
    }

    /** Those of one client after all of the client before, so that the order is known. */
    private List<QueueClient.Place> queueUp(RespClient server, List<QueueClient> clients, Steps steps) {
        List<QueueClient.Place> queue = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int client = client(i);
            queue.add(clients.get(client).claim(LOCK));
            if (queueing.isOneByOne() || client(i + 1) != client) {
                awaitWaiting(server, i + 1);
                steps.end();
            }
        }
        return queue;
    }

    private int client(int claim) {
        return claim * CLIENTS / count;
    }

    /** Leaves in the list those who will be served. */
    private void thinOut(List<QueueClient> clients, List<QueueClient.Place> queue) {
        if (queueing == Queueing.GIVING_UP || queueing == Queueing.DYING) {
            List<QueueClient.Place> gone = queue.subList(0, (int) IntStream.range(0, count)
                    .filter(i -> client(i) < CLIENTS - 1)
                    .count());
            if (queueing == Queueing.GIVING_UP) {
                List<CompletableFuture<Boolean>> answers = new ArrayList<>();
                for (int i = gone.size() - 1; i >= 0; i--) {
                    answers.add(gone.get(i).withdraw());
                }
                answers.forEach(CompletableFuture::join);
            } else {
                clients.subList(0, CLIENTS - 1).forEach(QueueClient::close);
            }
            gone.clear();
        }
    }

    /** How many have had their turn, and why not more. */
    private record Served(int count, String trouble) {}

    private static Served serve(QueueClient.Place first, List<QueueClient.Place> queue, Steps steps) {
        QueueClient.Place holder = first;
        int count = 0;
        try {
            for (QueueClient.Place next : queue) {
                holder.leave();
                next.awaitTurn();
                steps.end();
                count++;
                holder = next;
            }
            holder.leave();
            steps.end();
            return new Served(count, "");
        } catch (RuntimeException stuck) {
            return new Served(count, stuck.toString());
        }
    }

    /** How long scripts took by the server's clock, which goes on while another process has the processor. */
    private static Map<String, String> scripts(RespClient server) {
        String stats = server.field("cmdstat_evalsha", "INFO", "commandstats");
        long[] micros = server.list("SLOWLOG", "GET", "-1").stream()
                .map(entry -> (List<?>) entry)
                .filter(entry -> String.valueOf(((List<?>) entry.get(3)).get(0)).startsWith("EVAL"))
                .mapToLong(entry -> (Long) entry.get(2))
                .toArray();
        Map<String, String> found = new HashMap<>();
        found.put(RedisColumn.SCRIPTS.heading(), stats.replaceAll("calls=([0-9]+),.*", "$1"));
        found.put(RedisColumn.SCRIPT_MEAN.heading(), stats.replaceAll(".*usec_per_call=([0-9.]+).*", "$1"));
        found.put(
                RedisColumn.SCRIPT_LONGEST.heading(),
                Double.toString(Arrays.stream(micros).max().orElse(0) / 1e3));
        found.put(
                RedisColumn.SCRIPT_TOO_LONG.heading(),
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

    @Override
    public boolean isModest() {
        return queueing.isModest();
    }
}
