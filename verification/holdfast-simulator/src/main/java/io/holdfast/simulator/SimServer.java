package io.holdfast.simulator;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The store's server: one model per name, a clock that runs at its own speed, and now and then no memory. */
final class SimServer {

    private static final Duration SHORT_BEGINNING = Duration.ofMillis(1_200);

    private static final long LONG_AGO = -1;

    private final World world;
    private final SimProcess process;
    private final Plant plant;
    private final boolean queues;
    private final boolean calm;
    private final LeaseClock clock;
    private final GrantHistory history;
    private final Set<ClaimId> promoted = new HashSet<>();
    private final List<String> complaints = new ArrayList<>();
    private final Beliefs beliefs;
    /** Gets the name when the turn of a waiter may have come. */
    private final Consumer<String> wakeUp;

    private Map<String, NameModel> names = new LinkedHashMap<>();
    private Set<ClaimId> released = new HashSet<>();

    /** When something happened last that may end leases before their time: a failover, a clock that was set forward. */
    private long upset = LONG_AGO;

    /** The clock that leases are measured with. */
    private enum LeaseClock {
        /** As in Redis and in databases: it can be set, and runs on while the machine sleeps. */
        WALL,
        /** It cannot be set, and stops with the machine. */
        MONOTONIC
    }

    /** The server's answer to an attempt: the grant and what is left of it, or when to ask again. */
    record Answer(NameModel.@Nullable Holder held, Duration left) {}

    SimServer(World world, Plant plant, boolean calm, double rate, Beliefs beliefs, Consumer<String> wakeUp) {
        this.world = world;
        this.process = new SimProcess(world, "server", rate);
        this.plant = plant;
        this.queues = world.chance(0.5);
        this.clock = world.chance(0.7) ? LeaseClock.WALL : LeaseClock.MONOTONIC;
        this.calm = calm;
        this.beliefs = beliefs;
        this.history = beliefs.history();
        this.wakeUp = wakeUp;
    }

    SimProcess process() {
        return process;
    }

    boolean queues() {
        return queues;
    }

    /** Forgets everything, as a server without persistence does. */
    void restartEmpty() {
        world.trace("server", "restarts empty");
        restore(Map.of(), Set.of());
    }

    /** Fails over in a while to a replica that has missed everything since now. */
    void failOverIn(long delay) {
        Map<String, NameModel> replica = new LinkedHashMap<>();
        names.forEach((name, model) -> replica.put(name, model.copy()));
        Set<ClaimId> replicaReleased = new HashSet<>(released);
        world.in(delay, () -> {
            world.trace("server", "fails over and loses the last " + delay / World.MILLI + " ms");
            restore(replica, replicaReleased);
        });
    }

    private void restore(Map<String, NameModel> replica, Set<ClaimId> replicaReleased) {
        history.incomplete();
        upset = world.now();
        names.forEach((name, model) -> {
            NameModel after = replica.get(name);
            for (NameModel.Holder held : model.holders()) {
                NameModel.Holder kept = after == null ? null : after.holder(held.claim.id());
                if (kept == null || kept.firstToken != held.firstToken) {
                    history.dropped(held.claim.id(), world.now());
                }
            }
        });
        names = new LinkedHashMap<>(replica);
        names.forEach((name, model) -> model.holders().forEach(held -> history.restored(name, held.firstToken)));
        released = new HashSet<>(replicaReleased);
        List.copyOf(names.keySet()).forEach(name -> step(name, () -> true));
    }

    /** Sets the wall clock. A step forward ends leases early if they are measured with it. */
    void stepClock(long micros) {
        process.stepWallClock(micros);
        if (micros > 0 && clock == LeaseClock.WALL) {
            upset = world.now();
        }
    }

    /** What the server itself has seen go wrong. */
    List<String> complaints() {
        return complaints;
    }

    Answer attempt(Claim claim) {
        return step(claim.name(), () -> {
            NameModel model = model(claim.name());
            if (plant != Plant.NO_TOMBSTONE && released.contains(claim.id())) {
                return new Answer(null, Duration.ofDays(1));
            }
            boolean known = model.holder(claim.id()) != null;
            NameModel.Holder held = model.ask(queues ? claim : asTry(claim), now(), micros());
            if (held != null && released.contains(claim.id())) {
                complaints.add("Granted after it had been released: claim " + claim.id());
            }
            if (held != null && !known) {
                granted(held);
            }
            world.trace("server", () -> (held == null ? "refuses " : "grants ") + described(claim));
            if (held == null) {
                return new Answer(null, Duration.ofNanos(Math.max(1, untilFirstEnd(model))));
            }
            Duration left = promised(held);
            history.promised(claim.id(), world.now(), world.now() + process.toWorld(left.toNanos()));
            return new Answer(held, left);
        });
    }

    private void granted(NameModel.Holder held) {
        Claim claim = held.claim;
        history.granted(
                claim.name(),
                claim.id(),
                held.firstToken,
                held.tokens,
                world.now(),
                world.now() + process.toWorld(claim.lease().toNanos()));
    }

    /**
     * Some grants to waiters are promised for a short time to begin with, as by a store that pushes them. None is promised
     * for longer than it was asked for, although that is what is left after the clock was set back.
     */
    private Duration promised(NameModel.Holder held) {
        Claim claim = held.claim;
        boolean pushed = promoted.contains(claim.id()) && claim.id().sequence() % 2 == 0;
        long most = pushed ? SHORT_BEGINNING.toNanos() : Long.MAX_VALUE;
        return Duration.ofNanos(
                Math.min(most, Math.min(held.endsAt - now(), claim.lease().toNanos())));
    }

    List<RenewalRequest.Outcome> renew(List<RenewalRequest> renewals) {
        List<RenewalRequest.Outcome> outcomes = new ArrayList<>();
        for (RenewalRequest renewal : renewals) {
            Claim claim = renewal.claim();
            outcomes.add(step(claim.name(), () -> {
                boolean kept = model(claim.name()).renew(renewal, now());
                if (kept) {
                    long until = world.now() + process.toWorld(renewal.lease().toNanos());
                    history.promised(claim.id(), world.now(), until);
                } else if (plant == Plant.RENEWAL_REVIVES) {
                    revokeAll(claim.name());
                    model(claim.name()).ask(asTry(claim), now(), micros());
                    return RenewalRequest.Outcome.KEPT;
                }
                world.trace("server", () -> (kept ? "renews " : "does not have ") + described(claim));
                return kept ? RenewalRequest.Outcome.KEPT : RenewalRequest.Outcome.GONE;
            }));
        }
        return outcomes;
    }

    boolean shorten(Claim claim, Duration lease) {
        return step(claim.name(), () -> {
            NameModel model = model(claim.name());
            NameModel.Holder held = model.holder(claim.id());
            if (held != null) {
                long until = world.now() + process.toWorld(lease.toNanos());
                beliefs.checkShortened(held, until);
                history.shortened(claim.id(), until);
            }
            world.trace("server", () -> "shortens " + described(claim) + " to " + lease);
            return model.shorten(claim.id(), lease.toNanos(), now());
        });
    }

    boolean release(Claim claim) {
        return step(claim.name(), () -> {
            released.add(claim.id());
            world.trace("server", () -> "releases " + described(claim));
            NameModel model = model(claim.name());
            NameModel.Holder held = model.holder(claim.id());
            if (held != null) {
                beliefs.checkReleased(held);
            }
            if (plant == Plant.RELEASE_WITHOUT_OWNER_CHECK) {
                revokeAll(claim.name());
            }
            return model.release(claim.id());
        });
    }

    boolean revoke(String name, long token) {
        return step(name, () -> {
            ClaimId revoked = model(name).revoke(token);
            world.trace("server", () -> (revoked == null ? "has no" : "revokes") + " token " + token + " of " + name);
            if (revoked != null) {
                history.dropped(revoked, world.now());
            }
            return revoked != null;
        });
    }

    List<LockInfo> inspect(NameFilter filter) {
        List<LockInfo> infos = new ArrayList<>();
        for (String name : List.copyOf(names.keySet())) {
            if (filter.matches(name) && infos.size() < filter.limit()) {
                infos.add(step(name, () -> model(name).describe(now())));
            }
        }
        infos.removeIf(info -> info.isFree() && info.waiters() == 0);
        return infos;
    }

    /** The claims that hold something, or are about to, for processes that pass {@code wanted}. */
    List<String> keptFor(Predicate<ClaimId> wanted) {
        List<String> kept = new ArrayList<>();
        names.forEach((name, model) -> {
            for (NameModel.Holder held : model.holders()) {
                if (held.endsAt > now() && wanted.test(held.claim.id())) {
                    Duration left = Duration.ofNanos(held.endsAt - now());
                    kept.add("'" + name + "' claim " + held.claim.id() + ", " + left + " left");
                }
            }
            Claim head = model.queue().isEmpty() ? null : model.queue().get(0);
            if (head != null && wanted.test(head.id())) {
                kept.add("'" + name + "' claim " + head.id() + ", which waits");
            }
        });
        return kept;
    }

    /** What is left when all processes have finished. */
    List<LockInfo> leftovers() {
        return inspect(NameFilter.startingWith("", Integer.MAX_VALUE));
    }

    private <T> T step(String name, Supplier<T> change) {
        NameModel model = model(name);
        boolean heldBefore = !model.holders().isEmpty();
        expire(name, model);
        promote(name);
        T result = change.get();
        promote(name);
        if (model.isEmpty()) {
            if (plant == Plant.TOKENS_RESTART) {
                model.forgetTokens();
            }
            if (heldBefore && !queues) {
                wakeUp.accept(name);
            }
        } else {
            watch(name, model);
        }
        return result;
    }

    private void expire(String name, NameModel model) {
        for (NameModel.Holder gone : model.expire(now() + (plant == Plant.EXPIRES_EARLY ? 150 * World.MILLI : 0))) {
            world.trace("server", () -> "lets expire " + described(gone.claim));
            history.expired(gone.claim.id(), world.now(), upset);
            if (calm && !beliefs.isHeldBack(gone.claim.id())) {
                complaints.add(
                        "A lease on '" + name + "' ran out although all was well: a grant was dropped or not renewed");
            }
        }
    }

    private void promote(String name) {
        for (NameModel.Holder held : model(name).promote(now(), micros())) {
            Claim claim = held.claim;
            granted(held);
            if (plant == Plant.WAKE_UP_IS_ALL) {
                model(name).release(claim.id());
                released.add(claim.id());
            }
            world.trace("server", () -> "promotes " + described(claim));
            promoted.add(claim.id());
            wakeUp.accept(name);
        }
    }

    /** A queue has to be looked at when the next lease ends. */
    private void watch(String name, NameModel model) {
        if (queues && !model.holders().isEmpty() && !model.queue().isEmpty()) {
            process.schedule(
                    () -> {
                        if (names.get(name) == model) {
                            step(name, () -> true);
                        }
                    },
                    untilFirstEnd(model));
        }
    }

    private long untilFirstEnd(NameModel model) {
        return model.holders().isEmpty() ? Long.MAX_VALUE : model.firstEnd() - now();
    }

    /** Without the part of the id that is drawn at random: a seed always writes the same trace. */
    private static String described(Claim claim) {
        return claim.mode() + " claim " + claim.id().sequence() + " of "
                + claim.owner().application() + " for " + claim.units() + " of '" + claim.name() + "', lease "
                + claim.lease();
    }

    private void revokeAll(String name) {
        List.copyOf(model(name).holders()).forEach(held -> model(name).release(held.claim.id()));
    }

    private NameModel model(String name) {
        return names.computeIfAbsent(name, key -> new NameModel(key, plant));
    }

    private long now() {
        return clock == LeaseClock.WALL ? process.wallMicros() * 1_000 : process.nanos();
    }

    private long micros() {
        return plant == Plant.TOKENS_RESTART ? 0 : process.wallMicros();
    }

    private static Claim asTry(Claim claim) {
        return new Claim(
                claim.name(),
                claim.id(),
                Claim.Mode.TRY,
                claim.units(),
                claim.capacity(),
                claim.lease(),
                claim.tokens(),
                claim.owner());
    }
}
