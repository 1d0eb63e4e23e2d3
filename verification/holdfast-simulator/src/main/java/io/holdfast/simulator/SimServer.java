package io.holdfast.simulator;

import io.holdfast.LockInfo;
import io.holdfast.internal.Ledger;
import io.holdfast.internal.TokenClock;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.Renewal;
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

/** The store's server: one ledger per name, a clock that runs at its own speed, and now and then no memory. */
final class SimServer {

    private static final Duration SHORT_BEGINNING = Duration.ofMillis(1_200);

    private final World world;
    private final SimProcess process;
    private final Plant plant;
    private final boolean queues;
    private final Map<String, Ledger> ledgers = new LinkedHashMap<>();
    private final Map<String, TokenClock> tokens = new LinkedHashMap<>();
    private final Set<ClaimId> released = new HashSet<>();
    private final Set<ClaimId> promoted = new HashSet<>();
    private final List<Amnesia> amnesias = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();
    private final boolean calm;
    private final Beliefs beliefs;
    /** Told that the turn of somebody who waits for a name may have come. */
    private final Consumer<String> wakeUp;

    /** Data was lost, or a lease taken away by force; of one name, or of all for null. */
    private record Amnesia(long at, @Nullable String name) {}

    /** What the server says to an attempt: the record and what is left of it, or when to ask again. */
    record Answer(Ledger.@Nullable Held held, Duration left) {}

    SimServer(
            World world,
            Plant plant,
            boolean queues,
            boolean calm,
            double rate,
            Beliefs beliefs,
            Consumer<String> wakeUp) {
        this.world = world;
        this.process = new SimProcess(world, "server", rate);
        this.plant = plant;
        this.queues = queues;
        this.calm = calm;
        this.beliefs = beliefs;
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
        ledgers.clear();
        tokens.clear();
        released.clear();
        amnesias.add(new Amnesia(world.now(), null));
    }

    /** What the server itself has seen go wrong. */
    List<String> complaints() {
        return complaints;
    }

    boolean hasForgottenNothing() {
        return amnesias.isEmpty();
    }

    /**
     * Might it have forgotten the grant of that token before {@code now}? A server that did, or a lease taken by force,
     * makes too many holders; what remains is the order of the tokens. When the grant was made can be read from its token:
     * microseconds on the server's clock.
     */
    boolean hasForgotten(String name, long token, long now) {
        long from = process.toWorld(token * 1_000) - World.MILLI;
        for (Amnesia amnesia : amnesias) {
            if (from <= amnesia.at && amnesia.at <= now && (amnesia.name == null || amnesia.name.equals(name))) {
                return true;
            }
        }
        return false;
    }

    Answer attempt(Claim claim) {
        return step(claim.name(), () -> {
            Ledger ledger = ledger(claim.name());
            if (plant != Plant.NO_TOMBSTONE && released.contains(claim.id())) {
                return new Answer(null, Duration.ofDays(1));
            }
            Ledger.Held held = ledger.ask(queues ? claim : asTry(claim), now(), micros());
            if (held != null && released.contains(claim.id())) {
                complaints.add("Granted after it had been given back: claim " + claim.id());
            }
            world.trace("server", () -> (held == null ? "refuses " : "grants ") + described(claim));
            long first = ledger.nanosToFirstEnd(now());
            return new Answer(held, held == null ? Duration.ofNanos(Math.max(1, first)) : promised(held));
        });
    }

    /** Some of those who had to wait are promised little to begin with, as by a store that pushes its grants. */
    private Duration promised(Ledger.Held held) {
        Duration left = held.left(now());
        boolean pushed =
                promoted.contains(held.claim().id()) && held.claim().id().sequence() % 2 == 0;
        return pushed && left.compareTo(SHORT_BEGINNING) > 0 ? SHORT_BEGINNING : left;
    }

    List<Renewal.Outcome> renew(List<Renewal> renewals) {
        List<Renewal.Outcome> outcomes = new ArrayList<>();
        for (Renewal renewal : renewals) {
            Claim claim = renewal.claim();
            outcomes.add(step(claim.name(), () -> {
                boolean kept = ledger(claim.name()).renew(renewal, now());
                if (!kept && plant == Plant.RENEWAL_REVIVES) {
                    revokeAll(claim.name());
                    ledger(claim.name()).ask(asTry(claim), now(), micros());
                    return Renewal.Outcome.KEPT;
                }
                return kept ? Renewal.Outcome.KEPT : Renewal.Outcome.GONE;
            }));
        }
        return outcomes;
    }

    boolean release(Claim claim) {
        return step(claim.name(), () -> {
            released.add(claim.id());
            world.trace("server", () -> "releases " + described(claim));
            Ledger ledger = ledger(claim.name());
            checkNobodyIsAtWork(claim, ledger);
            if (plant == Plant.RELEASE_WITHOUT_OWNER_CHECK) {
                revokeAll(claim.name());
            }
            return ledger.release(claim.id());
        });
    }

    private void checkNobodyIsAtWork(Claim claim, Ledger ledger) {
        for (Ledger.Held held : ledger.holders(now())) {
            if (held.claim().id().equals(claim.id()) && beliefs.isAnybodyAtWork(claim.name(), held.block())) {
                complaints.add("Given back while somebody works under it: " + described(claim));
            }
        }
    }

    boolean revoke(String name, long token) {
        return step(name, () -> {
            boolean revoked = ledger(name).revoke(token);
            if (revoked) {
                amnesias.add(new Amnesia(world.now(), name));
            }
            return revoked;
        });
    }

    List<LockInfo> inspect(NameFilter filter) {
        List<LockInfo> infos = new ArrayList<>();
        for (String name : List.copyOf(ledgers.keySet())) {
            if (filter.matches(name) && infos.size() < filter.limit()) {
                infos.add(step(name, () -> ledger(name).describe(name, now())));
            }
        }
        infos.removeIf(info -> info.isFree() && info.waiters() == 0);
        return infos;
    }

    /** The claims that hold something, or are about to, for processes that pass {@code wanted}. */
    List<String> keptFor(Predicate<ClaimId> wanted) {
        List<String> kept = new ArrayList<>();
        ledgers.forEach((name, ledger) -> {
            ledger.holders(now()).stream()
                    .filter(held -> wanted.test(held.claim().id()))
                    .forEach(held ->
                            kept.add("'" + name + "' claim " + held.claim().id() + ", " + held.left(now()) + " left"));
            ClaimId head = ledger.head();
            if (head != null && wanted.test(head)) {
                kept.add("'" + name + "' claim " + head + ", which waits");
            }
        });
        return kept;
    }

    /** What is left when everybody has gone home. */
    List<LockInfo> leftovers() {
        return inspect(NameFilter.startingWith("", Integer.MAX_VALUE));
    }

    private <T> T step(String name, Supplier<T> change) {
        Ledger ledger = ledger(name);
        boolean heldBefore = ledger.nanosToFirstEnd(now()) != Long.MAX_VALUE;
        int holders = calm ? ledger.describe(name, now()).holders().size() : 0;
        ledger.expire(now() + (plant == Plant.EXPIRES_EARLY ? 150 * World.MILLI : 0));
        if (calm && ledger.describe(name, now()).holders().size() < holders) {
            complaints.add(
                    "A lease on '" + name + "' ran out although all was well: a grant was dropped or not renewed");
        }
        promote(name);
        T result = change.get();
        promote(name);
        Ledger after = ledger(name);
        if (after.isEmpty()) {
            ledgers.remove(name);
            if (plant == Plant.TOKENS_RESTART) {
                tokens.remove(name);
            }
            if (heldBefore && !queues) {
                wakeUp.accept(name);
            }
        } else {
            watch(name, after);
        }
        return result;
    }

    private void promote(String name) {
        for (Ledger.Held held : ledger(name).promote(now(), micros())) {
            if (plant == Plant.WAKE_UP_IS_ALL) {
                ledger(name).release(held.claim().id());
                released.add(held.claim().id());
            }
            world.trace("server", () -> "promotes " + described(held.claim()));
            promoted.add(held.claim().id());
            wakeUp.accept(name);
        }
    }

    /** A queue needs somebody who notices that the head's time has come. */
    private void watch(String name, Ledger ledger) {
        long first = ledger.nanosToFirstEnd(now());
        if (queues && first != Long.MAX_VALUE && ledger.hasQueue()) {
            process.schedule(
                    () -> {
                        if (ledgers.get(name) == ledger) {
                            step(name, () -> true);
                        }
                    },
                    first);
        }
    }

    /** Without the part of the id that is drawn at random: a seed always writes the same trace. */
    private static String described(Claim claim) {
        return claim.mode() + " claim " + claim.id().sequence() + " of "
                + claim.owner().application() + " for " + claim.units() + " of '" + claim.name() + "', lease "
                + claim.lease();
    }

    private void revokeAll(String name) {
        ledger(name)
                .describe(name, now())
                .holders()
                .forEach(holder -> ledger(name).revoke(holder.firstToken()));
    }

    private Ledger ledger(String name) {
        return ledgers.computeIfAbsent(name, key -> new Ledger(tokens.computeIfAbsent(key, k -> new TokenClock())));
    }

    private long now() {
        return process.nanos();
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
