package io.holdfast.simulator;

import io.holdfast.internal.memory.Ledger;
import io.holdfast.internal.memory.TokenClock;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.RefusedException;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The production ledger beside the model of the simulator: both get the same random requests at the same moments, and must
 * give the same answers and be in the same state after each.
 */
final class LedgerComparison {

    private static final int REQUESTS = 120;
    private static final int CLAIMS = 14;

    /** More than the ledger looks through without an index. */
    private static final int MANY_PERMITS = 12;

    private final SplittableRandom dice;
    private final TokenClock tokens = new TokenClock();
    private final NameModel model = new NameModel("x", Plant.NONE);
    private final int capacity;
    private final List<Claim> claims = new ArrayList<>();
    private Ledger ledger = new Ledger(tokens);
    private long now = 1_000_000;
    private long clockMicros = 1_000;

    private LedgerComparison(long seed) {
        this.dice = new SplittableRandom(seed);
        this.capacity = new int[] {1, 3, MANY_PERMITS, Claim.READ_WRITE}[dice.nextInt(4)];
        for (int i = 0; i < CLAIMS; i++) {
            claims.add(claim(i));
        }
    }

    /** The first difference between the two; empty if there is none. */
    static String run(long seed) {
        LedgerComparison comparison = new LedgerComparison(seed);
        for (int i = 0; i < REQUESTS; i++) {
            String difference = comparison.step();
            if (!difference.isEmpty()) {
                return "request " + i + ": " + difference;
            }
        }
        return "";
    }

    private String step() {
        if (dice.nextInt(3) > 0) {
            // Whole steps, so that leases end exactly when something is asked.
            now += 10 * dice.nextLong(5);
            clockMicros += dice.nextInt(4) == 0 ? -dice.nextLong(30) : dice.nextLong(100);
        }
        ledger.expire(now);
        model.expire(now);
        String difference = promotions();
        if (difference.isEmpty()) {
            difference = request();
        }
        if (difference.isEmpty()) {
            difference = promotions();
        }
        if (difference.isEmpty()) {
            difference = states();
        }
        if (ledger.isEmpty() && dice.nextBoolean()) {
            // A store forgets a name that is idle, but not its tokens.
            ledger = new Ledger(tokens);
        }
        return difference;
    }

    private String promotions() {
        List<String> promoted =
                ledger.promote(now, clockMicros).stream().map(this::grant).toList();
        List<String> expected =
                model.promote(now, clockMicros).stream().map(this::grant).toList();
        return difference("promoted", promoted, expected);
    }

    private String request() {
        int which = dice.nextInt(CLAIMS);
        Claim claim = claims.get(which);
        switch (dice.nextInt(11)) {
            case 0, 1, 2, 3 -> {
                return ask(claim);
            }
            case 4 -> {
                long lease = 10 * (1 + dice.nextLong(12));
                return difference(
                        "shortened", ledger.shorten(claim.id(), lease, now), model.shorten(claim.id(), lease, now));
            }
            case 5, 6 -> {
                Claim kept = dice.nextInt(3) == 0 ? claim.withUnits(1 + dice.nextInt(claim.units())) : claim;
                RenewalRequest renewal = new RenewalRequest(kept, Duration.ofNanos(10 * (1 + dice.nextLong(12))));
                return difference("renewed", ledger.renew(renewal, now), model.renew(renewal, now));
            }
            case 7, 8 -> {
                claims.set(which, claim(which));
                return difference("released", ledger.release(claim.id()), model.release(claim.id()));
            }
            case 9 -> {
                long token = anyToken();
                return difference("revoked " + token, ledger.revoke(token), model.revoke(token) != null);
            }
            default -> {
                Claim another = new Claim(
                        "x", new ClaimId(0, 0), claim.mode(), 1, 2, claim.lease(), claim.tokens(), claim.owner());
                return ledger.isEmpty() ? "" : ask(another);
            }
        }
    }

    /** The short cut of the in-JVM store grants what fits if nobody waits: it must not grant anything else. */
    private String ask(Claim claim) {
        boolean known = model.holder(claim.id()) != null;
        boolean atOnce = !ledger.hasQueue() && ledger.fits(claim);
        String answer = orRefused(() -> grant(ledger.request(claim, now, clockMicros)));
        String expected = orRefused(() -> grant(model.ask(claim, now, clockMicros)));
        String difference = difference("asked for " + claim, answer, expected);
        return difference.isEmpty() && !known
                ? difference("granted at once " + claim, atOnce, model.holder(claim.id()) != null)
                : difference;
    }

    private String states() {
        if (ledger.nanosToFirstEnd(now) > (model.holders().isEmpty() ? Long.MAX_VALUE : model.firstEnd() - now)) {
            return "the end of a lease is overlooked";
        }
        ClaimId head = model.queue().isEmpty() ? null : model.queue().get(0).id();
        for (Claim claim : claims) {
            boolean queued = model.queue().contains(claim);
            if (ledger.isQueued(claim.id()) != queued) {
                return "queued is " + !queued + " for " + claim;
            }
        }
        return difference("head", String.valueOf(ledger.head()), String.valueOf(head))
                + difference("empty", ledger.isEmpty(), model.isEmpty())
                + difference(
                        "holders", ledger.holders(now).size(), model.holders().size())
                + (model.isEmpty()
                        ? ""
                        : difference("state", sorted(ledger.describe("x", now)), sorted(model.describe(now))));
    }

    private static LockInfo sorted(LockInfo info) {
        List<LockInfo.Holder> holders = new ArrayList<>(info.holders());
        holders.sort(Comparator.comparingLong(LockInfo.Holder::token));
        return new LockInfo(info.name(), info.kind(), info.permits(), holders, info.waiters(), info.queue());
    }

    private long anyToken() {
        if (model.holders().isEmpty()) {
            return clockMicros;
        }
        NameModel.Holder holder =
                model.holders().get(dice.nextInt(model.holders().size()));
        return holder.firstToken - 1 + dice.nextInt(holder.tokens + 2);
    }

    /** Each of them has an owner of its own, so that the order of a queue can be seen. */
    private Claim claim(int number) {
        // Small claims on many permits, so that there are many holders.
        int units = dice.nextInt(capacity == MANY_PERMITS ? 12 : 3) == 0
                ? capacity
                : 1 + dice.nextInt(capacity == MANY_PERMITS ? 1 : Math.min(capacity, 3));
        return new Claim(
                "x",
                new ClaimId(dice.nextLong(), number),
                dice.nextInt(4) == 0 ? Claim.Mode.TRY : Claim.Mode.WAIT,
                units,
                capacity,
                Duration.ofNanos(10 * (1 + dice.nextLong(30))),
                1 + dice.nextInt(80),
                new Owner("host", number, "application", "label"));
    }

    private String grant(Ledger.@Nullable Held held) {
        return held == null
                ? "none"
                : held.claim().id() + " with " + held.block().size() + " tokens from "
                        + held.block().first() + " for "
                        + held.left(now).toNanos();
    }

    private String grant(NameModel.@Nullable Holder held) {
        return held == null
                ? "none"
                : held.claim.id() + " with " + held.tokens + " tokens from " + held.firstToken + " for "
                        + (held.endsAt - now);
    }

    private static String orRefused(Supplier<String> request) {
        try {
            return request.get();
        } catch (RefusedException refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    private static String difference(String what, Object ledgers, Object models) {
        return ledgers.equals(models) ? "" : what + " is " + ledgers + ", and should be " + models;
    }
}
