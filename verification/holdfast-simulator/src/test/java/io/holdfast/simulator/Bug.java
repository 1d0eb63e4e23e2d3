package io.holdfast.simulator;

/** A bug for the engine, which the simulator has to find: which text of its source is replaced, and by what. */
enum Bug implements Mutation {
    SAME_TOKEN_IS_HANDED_OVER_TWICE("HeldGrant", "firstToken + used++", "firstToken + 0 * used++"),
    RENEWAL_COUNTED_FROM_THE_REPLY(
            "RenewalScheduler", "new LeaseDeadline(sent, each.", "new LeaseDeadline(engine.now(), each."),
    SLEEP_OF_THE_MACHINE_NOT_NOTICED("LeaseDeadline", "from.nanosUntil(now)", "(now.nanos() - from.nanos())"),
    CLOSE_RELEASES_RUNNING_BODIES("Shutdown", """
            queue.lose(
                    record,
                    LeaseLostException.Reason.HOLDFAST_CLOSED,
                    "the Holdfast was closed while the lease was held")""", "queue.release(record)"),
    GRANT_FOR_NO_WAITER_IS_DROPPED("HeldGrants", "then.release(remove(free)); return;", "remove(free); return;"),
    NO_NEW_CLAIM_AFTER_A_LOSS(
            "HeldGrants",
            "then.lost(lost); if (held.leases == null) {",
            "then.lost(lost); wholeGrants++; if (held.leases == null) {"),
    NEVER_RENEWS("RenewalPolicy", "due.add(new DueRenewal(", "java.util.Objects.requireNonNull(new DueRenewal("),
    NO_MARGIN_FOR_CLOCKS_THAT_DRIFT("LeaseDeadline", "return nanos / 100 + 2_000_000;", "return 0;"),
    RETRY_MAKES_A_NEW_CLAIM("PendingClaims", "then.resend(pending);", "waiting = null;"),
    RELEASE_IS_NEVER_REPEATED("ReleaseRetries", "if (failure == null) {", "if (failure == null || tries > 0) {"),
    EMPTY_QUEUE_IS_NOT_REMOVED(
            "LocalQueue", "pendingClaims.isEmpty() && !retired", "pendingClaims.isEmpty() && retired"),
    LAST_COME_FIRST_SERVED("WaiterQueue", "return first;", "return last;"),

    // Writers that starve.
    READERS_JOIN_PAST_A_WAITING_WRITER(
            "Admission", "units.isRead() && queue.waiters.isEmpty() && latest", "units.isRead() && latest"),
    READERS_JOIN_WITHOUT_END("HeldGrant", "&& now.nanos() - handOffEnd < 0", ""),
    CLAIM_FOR_OTHER_UNITS_STAYS(
            "PendingClaims",
            "(head == null || head.request.units().wanted() != pending.claim.units())",
            "head == null"),

    // Permits that two users have.
    PERMIT_THAT_IS_HANDED_OVER_IS_ALSO_RELEASED(
            "HeldGrants", "serve(held, then, now, false);", "then.release(held); serve(held, then, now, false);"),
    PERMIT_IS_HANDED_OVER_TO_A_WAITER_FOR_MORE(
            "HeldGrants",
            "if (head == null || head.request.units().wanted() != free.units()) {",
            "if (head == null) {"),

    // Readers beside a writer.
    READER_SHARES_A_WRITERS_CLAIM("HeldGrant", "&& !isWhole()", ""),
    ONE_READER_RELEASES_FOR_ALL(
            "HeldGrants",
            "if (held.leases != null) { return;",
            "if (held.leases != null) { then.release(held); return;"),
    LOST_READER_IS_NOT_WAITED_FOR("HeldGrants", "if (held.lostNotClosed > 0) {", "if (held.lostNotClosed < 0) {"),
    LOST_READER_RELEASES_FOR_THE_OTHERS(
            "LocalQueue", "if (its.lostNotClosed == 0 && !its.current) {", "if (its.lostNotClosed == 0) {"),
    DOWNGRADE_LETS_A_WRITER_IN("LocalQueue", "grants.admitReaders(its, then, now);", "then.release(its);"),
    DOWNGRADE_IS_NOT_SENT("HeldGrant", "shrinking = true;", "shrinking = false;"),
    DOWNGRADED_QUEUE_COUNTS_ALL_UNITS(
            "HeldGrants", "wholeGrants -= held.isWhole() ? 1 : 0; held.shrinkToReader", "held.shrinkToReader"),

    // Leases that do not keep to their options, or to what the store has said.
    GONE_IS_TREATED_AS_KEPT(
            "LocalQueue",
            "case GONE -> notInStore(renewed, then); case UNKNOWN -> context",
            "case GONE -> renewed.kept(sent.request(), granted); case UNKNOWN -> context"),
    HOLD_AT_LEAST_IGNORED("HeldGrants", "if (holdAtLeast > 0", "if (holdAtLeast < 0"),
    HELD_BACK_GRANT_IS_HANDED_OVER(
            "HeldGrants", "held.heldBackFor(now.nanos()) > 0", "held.heldBackFor(now.nanos()) == Long.MAX_VALUE"),
    HELD_BACK_GRANT_IS_RELEASED_AT_ONCE("HeldGrants", "if (heldBack > 0) {", "if (heldBack == Long.MAX_VALUE) {"),
    HELD_BACK_GRANT_IS_NOT_SHORTENED(
            "ReleaseRetries",
            "return send(new Unanswered(claim, What.REST_OF_HOLD, engine.nanos() + delayNanos));",
            "return STILL_OURS;"),
    SHORTENED_TO_LESS_THAN_THE_REST_OF_THE_HOLD(
            "ReleaseRetries", "pending.giveUpAt - engine.nanos()));", "(pending.giveUpAt - engine.nanos()) / 2));"),
    SHORTENING_IGNORES_THAT_THE_LEASE_IS_NOT_IN_THE_STORE(
            "DeferredActions",
            "conclude(context.actions().releaseLater(delayed, releaseLife, releaseDelay));",
            "var sent = context.actions().releaseLater(delayed, releaseLife, releaseDelay);"
                    + " conclude(CompletableFuture.completedFuture(Optional.of(true)));"),
    MAX_HOLD_IGNORED("LeaseRecord", "return hasMaxHold() ? Math.min", "return maxHold() == 0 ? Math.min"),
    MAX_HOLD_HAS_NO_TIMER("LeaseRecord", "return byOption - byStore < 0 ? byOption : byStore;", "return byStore;"),
    RENEWAL_OFF_IGNORED("RequestTimes", "return options.renewal() == LockOptions.Renewal.ON;", "return true;"),
    RENEWS_ALTHOUGH_RENEWAL_IS_OFF(
            "RenewalPolicy",
            "return record.request.times().renewed() && !record.isForgotten()",
            "return !record.isForgotten()"),
    AT_RISK_NEVER_REPORTED("LeaseRecord", "return held.failing();", "return false;"),
    FAILED_RENEWAL_NOT_REMEMBERED("HeldGrant", "this.failing = failing;", "this.failing = false;"),
    RELEASE_IGNORES_THAT_THE_LEASE_IS_NOT_IN_THE_STORE(
            "DeferredActions", "boolean ours = answer.orElse(true);", "boolean ours = answer.isEmpty() || true;"),

    LOSS_DOES_NOT_INTERRUPT("LeaseRecord", "interruption.run();", "interruption.hashCode();"),
    INTERRUPT_OUTLIVES_THE_BODY("InterruptibleBody", "Thread.interrupted();", ""),

    // Grants that are handed over, or kept, when they must not be.
    LATE_RENEWAL_OF_A_REMOVED_GRANT_IS_KEPT("LocalQueue", "if (outcome == Outcome.KEPT) {", "if (outcome == null) {"),
    RELEASE_IS_RETRIED_FOR_THE_SHORTER_LEASE("HeldGrant", "return Math.max(lease, requestedLease);", "return lease;"),
    GRANT_UNDER_REVOCATION_IS_HANDED_OVER("HeldGrants", "|| free.revoking ||", "||"),
    LOCAL_HAND_OFF_NEVER_ENDS(
            "HeldGrants",
            "return now.nanos() - free.handOffEnd < 0 ? free.fits(wanted, left) :",
            "return left > 0 ? free.fits(wanted, left) :"),
    TOKENS_BEYOND_THE_BLOCK("HeldGrants", "|| !free.hasTokens()", ""),

    // Events that do not balance.
    CANCELLED_WAIT_HAS_NO_EVENT("LocalQueue", "then.event(how, waiter, cause);", ""),
    REFUSED_ATTEMPT_HAS_NO_EVENT(
            "DeferredActions", "event(why == null ? LockEvent.Kind.REFUSED : LockEvent.Kind.FAILED, waiter, why);", ""),
    LEASE_NOT_IN_THE_STORE_HAS_TWO_ENDS(
            "DeferredActions",
            "lostAtRelease(record);",
            "happened(LockEvent.Kind.RELEASED, record, null); lostAtRelease(record);"),
    EVENT_OF_AN_ENDED_LEASE("DeferredActions", "if (record != null && !ended &&", "if (record != null &&"),

    // Two leaders, or none.
    LEADER_DOES_NOT_CHECK_THE_CLOCK(
            "Election", "return present != null && present.isHeld();", "return present != null;"),
    LOST_LEADER_IS_NOT_NOTIFIED("Election", "var unused = over(granted, 0);", ""),
    NEXT_LEADER_BEFORE_THE_LAST_IS_NOTIFIED(
            "Election",
            "to.onRevoked(new NestedLease(ended));",
            "ended.discard(); to.onRevoked(new NestedLease(ended));"),
    REVOKED_LEADER_DOES_NOT_CAMPAIGN_AGAIN(
            "Election", "done.complete(null); campaignAgain(pause);", "done.complete(null);"),

    // Several locks at once.
    SETS_ACQUIRED_IN_ANY_ORDER("LockFactory", "new TreeSet<>(names)", "new java.util.LinkedHashSet<>(names)"),
    PART_OF_A_SET_IS_KEPT("LockSetAcquisition", "var unused = HeldLeases.discard(leases); if (step", "if (step"),
    SET_IS_COMPLETED_WITH_A_LOST_PART(
            "HeldLeases", "if (lease.state() == LeaseState.LOST) {", "if (lease.name().isEmpty()) {"),
    EACH_OF_A_SET_MAY_TAKE_ALL_THE_TIME(
            "NamedLockSet", "Math.max(1, waitNanos - (engine.nanos() - since))", "waitNanos");

    private final String className;
    private final String original;
    private final String mutated;

    Bug(String className, String original, String mutated) {
        this.className = className;
        this.original = original;
        this.mutated = mutated;
    }

    @Override
    public String className() {
        return className;
    }

    @Override
    public String original() {
        return original;
    }

    @Override
    public String mutated() {
        return mutated;
    }
}
