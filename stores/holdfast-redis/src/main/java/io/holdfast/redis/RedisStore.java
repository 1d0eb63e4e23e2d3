package io.holdfast.redis;

import io.holdfast.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Complaints;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.OwnerText;
import io.holdfast.spi.RecentClaims;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Scheduler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Locks on Redis: one server, a master under Sentinel, or a Cluster. A free name is taken in one round trip and given back in
 * one; a name that others wait for is handed to the first of them by the release itself.
 *
 * <pre>{@code
 * Holdfast.connect("redis://localhost:6379");                                   // or redis-sentinel://, redis-cluster://
 * Holdfast.builder(RedisStore.on(lettuceClient).keyPrefix("orders")).build();
 * }</pre>
 *
 * <p>Thread-safe. Closing it closes the connections that it has opened, and the client only if it made it.
 */
public final class RedisStore implements LockStore {

    /*
     * Stale requests. Redis may execute a request of a closed connection after the release of the same claim. So a claim of
     * which a request is under way or was not answered is in `unsure`, and its release leaves a tombstone in the server by which
     * the stale request is refused. Claims whose every request was answered need none: no request of theirs can arrive any more.
     *
     * A message for a claim that nobody here waits for: it must be given back, or the name is blocked for a while. But the
     * claim may be held: it has asked, and found the grant, before the message came; or the message came twice, by a connection
     * that was replaced and by the new one. In the first case the grant is confirmed in the server, and only grants that are not
     * are given back; for the second, those that were taken from a message are in `pushed`.
     */
    private static final System.Logger LOG = System.getLogger(RedisStore.class.getName());

    private final Environment environment;
    private final Link link;
    private final Calls calls;
    private final Keys keys;
    private final Renewals renewals;
    private final Capabilities capabilities;
    private final long retentionMicros;
    private final String retention;
    private final Map<ClaimId, Wait> waits = new ConcurrentHashMap<>();
    private final RecentClaims unsure;
    private final RecentClaims pushed;
    private final AtomicBoolean checking = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Complaints complaints;

    RedisStore(String name, Environment environment, Settings settings, LinkMaker maker) {
        this.environment = environment;
        this.unsure = new RecentClaims(environment.ticker());
        this.pushed = new RecentClaims(environment.ticker());
        this.keys = new Keys(settings.keyPrefix());
        this.capabilities = new Capabilities(name, Capabilities.Queue.FIFO, Capabilities.Sharing.UNITS);
        this.retentionMicros = micros(settings.retention());
        this.retention = String.valueOf(retentionMicros);
        this.complaints = new Complaints(LOG, name, environment.ticker());
        this.link = maker.make(new Hearing());
        this.calls = new Calls(link, environment, settings);
        this.renewals = new Renewals(link, calls, keys, retention, this::after, complaints);
    }

    /** Opens the way to the server, with somebody to tell. */
    @FunctionalInterface
    interface LinkMaker {
        Link make(Link.Listener listener);
    }

    /**
     * On a client of the application, which the application closes; on the server of the client's URI. The timeout of that URI
     * is also how long Lettuce waits for the handshake of a new connection, by default a minute: set it to a few seconds.
     */
    public static RedisStoreBuilder on(RedisClient client) {
        return RedisStoreBuilder.on(client);
    }

    /** On a cluster client of the application, which stays its own to close. */
    public static RedisStoreBuilder on(RedisClusterClient client) {
        return RedisStoreBuilder.on(client);
    }

    /** On the server or servers behind a URL, with connections of its own. */
    public static RedisStoreBuilder at(String url) {
        return RedisStoreBuilder.at(url);
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        if (claim.mode() == Claim.Mode.WAIT) {
            Wait wait = waits.computeIfAbsent(claim.id(), id -> new Wait(this, claim));
            wait.ask();
            keepHearing();
            return wait.answer();
        }
        // An earlier request of this claim that was not answered may still come, by a connection that was replaced.
        boolean doubtful = unsure.has(claim.id());
        unsure.add(claim.id());
        return ask(claim, "").thenApply(answer -> {
            Reply reply = answer.reply();
            if (!doubtful) {
                unsure.remove(claim.id());
            }
            if (reply instanceof Reply.Granted granted) {
                return Optional.of(grant(claim, granted, answer.sent()));
            }
            if (reply instanceof Reply.Taken) {
                return Optional.empty();
            }
            throw refusal(claim, reply);
        });
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> wishes) {
        return renewals.renew(wishes);
    }

    @Override
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        return renewals.shorten(claim, lease);
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        Wait wait = waits.remove(claim.id());
        if (wait != null && wait.end()) {
            unsure.add(claim.id());
        }
        String key = keys.key(claim.name());
        pushed.remove(claim.id());
        String mayCome = unsure.has(claim.id()) ? "1" : "0";
        return calls.run(Script.RELEASE, new String[] {key}, claim.id().toString(), mayCome, retention)
                .thenApply(parts -> {
                    unsure.remove(claim.id());
                    after(key, parts);
                    return parts.get(0).equals(1L);
                });
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return new Inspection(link, calls, keys, environment.ticker()).of(filter);
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        String key = keys.key(name);
        return calls.run(Script.REVOKE, new String[] {key}, String.valueOf(token), retention)
                .thenApply(parts -> {
                    after(key, parts);
                    return parts.get(0).equals(1L);
                });
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            waits.values().forEach(wait -> wait.fail(new IllegalStateException("The store was closed.")));
            link.close();
        }
    }

    /** Says what is not set up for locks. */
    void lookAtServer() {
        var unused = link.commands().info("memory").whenComplete((memory, failure) -> {
            if (failure != null) {
                LOG.log(
                        System.Logger.Level.INFO,
                        capabilities.name() + ": the eviction policy is not known (" + failure.getMessage() + ")");
            } else {
                Warnings.ofMemory(capabilities.name(), memory);
            }
        });
    }

    // What the waits use.

    Moment now() {
        return environment.ticker().now();
    }

    boolean needsReplicas() {
        return calls.needsReplicas();
    }

    Scheduler.Task schedule(Runnable task, long delay) {
        return environment.scheduler().schedule(task, delay);
    }

    /**
     * The answer to a claim.
     *
     * @param sent when the request was sent that it answers
     */
    record Answer(Reply reply, Moment sent) {}

    /** Sends the claim; again while expired holders or dead waiters are in its way. Those requests have granted nothing. */
    CompletableFuture<Answer> ask(Claim claim, String place) {
        Moment sent = now();
        String key = keys.key(claim.name());
        String channel = link.channel(key);
        return calls.runOnReplicas(
                        Script.ACQUIRE,
                        new String[] {key},
                        claim.id().toString(),
                        claim.mode() == Claim.Mode.TRY ? "T" : "W",
                        String.valueOf(claim.units()),
                        String.valueOf(claim.capacity()),
                        String.valueOf(micros(claim.lease())),
                        String.valueOf(claim.tokens()),
                        OwnerText.of(claim.owner()),
                        String.valueOf((micros(claim.lease()) + retentionMicros) / 1_000 + 1),
                        channel,
                        place)
                .thenCompose(parts -> {
                    Reply reply = Reply.of(parts);
                    if (parts.size() == 6) {
                        after(key, parts.subList(3, 6));
                    }
                    // The subscription was replaced meanwhile, so there is no need for another one.
                    boolean replaced = reply instanceof Reply.Deaf && !channel.equals(link.channel(key));
                    return !closed.get() && (replaced || reply instanceof Reply.Unfinished)
                            ? ask(claim, place)
                            : CompletableFuture.completedFuture(new Answer(reply, sent));
                });
    }

    CompletableFuture<Void> listen(Claim claim) {
        return link.listen(keys.key(claim.name()));
    }

    /** Such a claim has no place in the queue, but the engine asks again and again. */
    void deaf(Throwable failure) {
        complaints.say(
                "Cannot subscribe to the wake channel (" + failure.getMessage() + "). Until it can, claims that wait in"
                        + " this process are not in the wait queue: they poll, and acquire a lock when no other process waits for it.");
    }

    /** The wait is over; {@code doubtful} if a request of it was not answered. */
    void waited(Wait wait, boolean doubtful) {
        if (doubtful) {
            unsure.add(wait.claim().id());
        }
        waits.remove(wait.claim().id(), wait);
    }

    void tookPush(Claim claim) {
        pushed.add(claim.id());
    }

    Grant grant(Claim claim, Reply.Granted granted, Moment sent) {
        Duration left = Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(granted.left()));
        return new Grant(claim, granted.token(), granted.tokens(), sent, left);
    }

    RuntimeException refusal(Claim claim, @Nullable Reply reply) {
        if (reply instanceof Reply.AnotherSize present) {
            return RefusedException.anotherSize(claim, present.capacity());
        }
        if (reply instanceof Reply.Foreign foreign) {
            return new RefusedException("The key " + keys.key(claim.name()) + " has the layout '" + foreign.layout()
                    + "', not '2': another version of Holdfast or another program has written it. Run the same version"
                    + " everywhere; keys of locks that are not used expire, by default after an hour. Or use another"
                    + " keyPrefix.");
        }
        return new IllegalStateException(
                "Claim " + claim.id() + " was released before this request came (" + reply + ")");
    }

    /** After a script that may have handed the name on. */
    private void after(String key, List<Object> parts) {
        if (parts.size() < 3) {
            return;
        }
        if (parts.get(2) instanceof String failure && !failure.isEmpty()) {
            complaints.say(
                    "The pub/sub message to the next waiter for '" + keys.name(key) + "' could not be sent (" + failure
                            + "). Waiters poll instead, every 1 to 30 seconds. If the ACL forbids it, allow PUBLISH and the"
                            + " channels: see docs/stores/redis.md, Least privileges.");
        }
        if (parts.get(1).equals(1L) && !closed.get()) {
            var unused = calls.run(Script.DRIVE, new String[] {key}, retention).thenAccept(more -> after(key, more));
        }
    }

    /** As long as somebody waits, the connection for messages is looked after. */
    private void keepHearing() {
        if (!checking.get() && checking.compareAndSet(false, true)) {
            schedule(this::checkHearing, Deafness.INTERVAL);
        }
    }

    private void checkHearing() {
        checking.set(false);
        if (!waits.isEmpty() && !closed.get()) {
            try {
                link.checkHearing();
            } finally {
                keepHearing();
            }
        }
    }

    private static long micros(Duration duration) {
        return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
    }

    private final class Hearing implements Link.Listener {

        @Override
        public void heard(String message) {
            Moment received = now();
            Optional<Push> push = Push.parse(message);
            if (push.isEmpty()) {
                complaints.say("Ignored a message on a wake channel that Holdfast has not sent: '" + message
                        + "'. Allow only Holdfast to publish there.");
                return;
            }
            Wait wait = waits.get(push.get().id());
            if (wait != null) {
                wait.pushed(push.get(), received);
            } else {
                giveBack(push.get());
            }
        }

        @Override
        public Collection<String> awaited() {
            return waits.values().stream()
                    .map(wait -> keys.key(wait.claim().name()))
                    .toList();
        }

        @Override
        public void resumed() {
            waits.values().forEach(Wait::ask);
        }

        @Override
        public void resumed(int group) {
            for (Wait wait : waits.values()) {
                if (link.group(keys.key(wait.claim().name())) == group) {
                    wait.ask();
                }
            }
        }

        /** Wake channels are drawn anew by the link. */
        @Override
        public void deaf(Throwable reason) {
            if (!closed.get()) {
                complaints.say("The pub/sub connection is unresponsive and cannot be replaced (" + Calls.cause(reason)
                        + "). Until it is, claims that wait in this process poll, every 1 to 30 seconds by their position"
                        + " in the wait queue.");
            }
        }

        /** Nobody here waits for it: it must not be lost. One that is about to ask again finds it by that. */
        private void giveBack(Push push) {
            if (!unsure.has(push.id()) && !pushed.has(push.id()) && !closed.get()) {
                LOG.log(System.Logger.Level.DEBUG, "Giving back {0}, which nobody here waits for", push.key());
                var unused = calls.run(
                                Script.RELEASE,
                                new String[] {push.key()},
                                push.id().toString(),
                                "p",
                                retention)
                        .thenAccept(parts -> after(push.key(), parts));
            }
        }
    }
}
