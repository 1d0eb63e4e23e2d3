package io.holdfast.redis;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.StaleTokenException;
import io.holdfast.servers.ChildProcess;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A separate JVM that acquires a lock and holds it; if it loses the lock, it writes nevertheless. */
final class LockingProcess {

    static final String PLAIN_DATA = "room:plain";
    static final String FENCED_DATA = "room:fenced";

    private LockingProcess() {}

    /** Starts one, and returns when it has printed its state: {@code waiting}, or {@code held}. */
    static ChildProcess start(String url, String name, Duration lease, String until) {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                LockingProcess.class.getName(),
                url,
                name,
                lease.toString());
        return ChildProcess.start(
                "locking-process", folder -> command, child -> child.log().contains(until));
    }

    public static void main(String[] args) throws InterruptedException {
        LockOptions options = LockOptions.builder()
                .leaseTime(Duration.parse(args[2]))
                .maxWait(Duration.ofMinutes(2))
                .build();
        RedisClient client = RedisClient.create(args[0]);
        try (Holdfast holdfast = Holdfast.connect(args[0]);
                StatefulRedisConnection<String, String> data = client.connect()) {
            DistributedLock lock = holdfast.lock(args[1], options);
            RedisFence fence = RedisFence.on(data);
            System.out.println("waiting");
            Lease lease = lock.acquire();
            System.out.println("held " + lease.token());
            while (lease.state() != LeaseState.LOST) {
                Thread.sleep(1);
            }
            System.out.println("lost");
            data.sync().set(PLAIN_DATA, "paused");
            try {
                fence.of(lease).run(FencedWrites.set(FENCED_DATA, "paused"));
                System.out.println("written");
            } catch (StaleTokenException stale) {
                System.out.println("rejected");
            }
            System.out.println("released " + lease.release());
        }
        // The rest of its life, until it is killed.
        Thread.sleep(Long.MAX_VALUE);
    }
}
