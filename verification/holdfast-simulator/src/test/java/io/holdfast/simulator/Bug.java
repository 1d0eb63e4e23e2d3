package io.holdfast.simulator;

/** A bug for the engine, which the simulator has to find: which text of its source is replaced, and by what. */
enum Bug implements Mutation {
    PASSES_THE_SAME_TOKEN_TWICE("Tenure", "firstToken + used++", "firstToken + 0 * used++"),
    RENEWAL_COUNTED_FROM_THE_REPLY("Keeper", "new Term(sent, each.", "new Term(engine.now(), each."),
    SLEEP_OF_THE_MACHINE_NOT_NOTICED("Term", "from.nanosUntil(now)", "(now.nanos() - from.nanos())"),
    CLOSE_RELEASES_RUNNING_BODIES(
            "Shutdown", "line.lose(hold, \"the Holdfast was closed while the lease was held\")", "line.release(hold)"),
    GRANT_FOR_NOBODY_IS_DROPPED(
            "Tenures", "then.release(remove(free));\n            return;", "remove(free);\n            return;"),
    NO_NEW_BID_AFTER_A_LOSS(
            "Tenures",
            "then.lost(hold);\n        if (tenure.holds == null) {",
            "then.lost(hold);\n        wholes++;\n        if (tenure.holds == null) {"),
    NEVER_RENEWS("Upkeep", "due.add(new Keeper.Due(", "java.util.Objects.requireNonNull(new Keeper.Due("),
    NO_MARGIN_FOR_CLOCKS_THAT_DRIFT("Term", "return nanos / 100 + 2_000_000;", "return 0;"),
    RETRY_MAKES_A_NEW_CLAIM("Bids", "then.retry(asked);", "waiting = null;"),
    RELEASE_IS_NEVER_REPEATED("Releaser", "if (failure == null) {", "if (failure == null || tries > 0) {"),
    LINE_IS_NEVER_TAKEN_DOWN("Line", "bids.isEmpty() && !retired", "bids.isEmpty() && retired"),
    LAST_COME_FIRST_SERVED("WaiterQueue", "return first;", "return last;"),

    // Writers that starve.
    READERS_JOIN_PAST_A_WAITING_WRITER(
            "Line", "share.isRead() && waiters.isEmpty() && latest", "share.isRead() && latest"),
    READERS_JOIN_WITHOUT_END("Tenure", "                && now.nanos() - sliceEnd < 0\n", ""),
    BID_FOR_ANOTHER_SIZE_STAYS(
            "Bids", "(head == null || head.wish.share().units() != asked.claim.units())", "head == null"),

    // Permits that two users have.
    PASSED_PERMIT_IS_ALSO_GIVEN_BACK(
            "Tenures",
            "            serve(tenure, then, now, false);",
            "            then.release(tenure);\n            serve(tenure, then, now, false);"),
    PERMIT_PASSED_TO_WHO_WANTS_MORE(
            "Tenures", "if (head == null || head.wish.share().units() != free.units()) {", "if (head == null) {"),

    // Readers beside a writer.
    READER_SHARES_A_WRITERS_CLAIM("Tenure", "                && !isWhole()\n", ""),
    ONE_READER_RELEASES_FOR_ALL(
            "Tenures",
            "if (tenure.holds != null) {\n            return;",
            "if (tenure.holds != null) {\n            then.release(tenure);\n            return;"),
    LOST_READER_IS_NOT_WAITED_FOR("Tenures", "if (tenure.ghosts > 0) {", "if (tenure.ghosts < 0) {"),
    LOST_READER_RELEASES_FOR_THE_OTHERS("Line", "if (its.ghosts == 0 && !its.current) {", "if (its.ghosts == 0) {"),
    DOWNGRADE_LETS_A_WRITER_IN("Line", "tenures.admitReaders(its, then, now);", "then.release(its);"),
    DOWNGRADE_IS_NOT_TOLD("Tenure", "        shrinking = true;", "        shrinking = false;"),
    DOWNGRADED_LINE_THINKS_IT_HAS_ALL(
            "Tenures", "wholes -= tenure.isWhole() ? 1 : 0;\n        tenure.shrink", "tenure.shrink"),

    // Leases that do not keep to their options, or to what the store has said.
    GONE_IS_TAKEN_FOR_KEPT(
            "Line",
            "case GONE -> gone(renewed, then);\n                case UNKNOWN -> Upkeep",
            "case GONE -> renewed.kept(sent, granted);\n                case UNKNOWN -> Upkeep"),
    HOLD_AT_LEAST_IGNORED("Tenures", "if (ended.terms.holdAtLeast() > 0", "if (ended.terms.holdAtLeast() < 0"),
    HELD_BACK_GRANT_IS_HANDED_OVER(
            "Tenures", "tenure.heldBackFor(now.nanos()) > 0", "tenure.heldBackFor(now.nanos()) == Long.MAX_VALUE"),
    HELD_BACK_GRANT_IS_RELEASED_AT_ONCE("Tenures", "if (heldBack > 0) {", "if (heldBack == Long.MAX_VALUE) {"),
    HELD_BACK_GRANT_IS_NOT_SHORTENED(
            "Releaser",
            "return send(new Unanswered(claim, What.REST_OF_HOLD, engine.nanos() + delayNanos));",
            "return STILL_OURS;"),
    SHORTENED_TO_LESS_THAN_THE_REST_OF_THE_HOLD(
            "Releaser", "pending.giveUpAt - engine.nanos()));", "(pending.giveUpAt - engine.nanos()) / 2));"),
    SHORTENING_IGNORES_NO_LONGER_YOURS(
            "Followup", "answer = engine.releaser().releaseLater(", "var unused = engine.releaser().releaseLater("),
    MAX_HOLD_IGNORED("Hold", "return terms.maxHold() == Terms.NO_END ?", "return terms.maxHold() != 0 ?"),
    MAX_HOLD_HAS_NO_TIMER("Hold", "return byOption - byStore < 0 ? byOption : byStore;", "return byStore;"),
    RENEWAL_OFF_IGNORED("Terms", "return options.renewal() == LockOptions.Renewal.ON;", "return true;"),
    RENEWS_ALTHOUGH_RENEWAL_IS_OFF("Hold", "return terms.renewed() && !forgotten", "return !forgotten"),
    AT_RISK_NEVER_REPORTED("HeldLease", "return its.tenure.failing() ?", "return its.tenure == null ?"),
    FAILED_RENEWAL_NOT_REMEMBERED("Tenure", "this.failing = failing;", "this.failing = false;"),
    RELEASE_IGNORES_NO_LONGER_YOURS(
            "HeldLease", "boolean ours = stillOurs.orElse(true);", "boolean ours = stillOurs.isEmpty() || true;"),

    LOSS_DOES_NOT_INTERRUPT("Engine", "body.interrupt();", "body.hashCode();"),
    INTERRUPT_OUTLIVES_THE_BODY("BodyRun", "            Thread.interrupted();\n", ""),

    // Grants that are handed over, or kept, when they must not be.
    LATE_RENEWAL_OF_A_GIVEN_UP_GRANT_IS_KEPT("Line", "if (outcome == Outcome.KEPT) {", "if (outcome == null) {"),
    RELEASE_IS_RETRIED_FOR_THE_SHORTER_LEASE("Tenure", "return Math.max(lease, askedFor);", "return lease;"),
    GRANT_UNDER_REVOCATION_IS_HANDED_OVER("Tenures", "|| free.revoking ||", "||"),
    TIME_SLICE_NEVER_ENDS(
            "Tenures",
            "return now.nanos() - free.sliceEnd < 0 ? free.fits(wanted, left) :",
            "return left > 0 ? free.fits(wanted, left) :"),
    TOKENS_BEYOND_THE_BLOCK("Tenures", "|| !free.hasTokens() ", ""),

    // Two leaders, or none.
    LEADER_DOES_NOT_LOOK_AT_THE_CLOCK(
            "Election", "return present != null && present.isHeld();", "return present != null;"),
    LOST_LEADER_IS_NOT_TOLD("Election", "var unused = over(granted, 0);", ""),
    NEXT_LEADER_BEFORE_THE_LAST_IS_TOLD(
            "Election", "to.deposed(new NestedLease(ended));", "ended.drop();\n to.deposed(new NestedLease(ended));"),
    DEPOSED_LEADER_DOES_NOT_STAND_AGAIN("Election", "                        standAgain(pause);\n", ""),

    // Several locks at once.
    SETS_TAKEN_IN_ANY_ORDER("Engine", "new TreeSet<>(names)", "new java.util.LinkedHashSet<>(names)"),
    PART_OF_A_SET_IS_KEPT(
            "SetWait", "        HeldLeases.giveBackLater(taken);\n        if (failure", "        if (failure"),
    SET_IS_HANDED_OVER_WITH_A_LOST_PART(
            "NamedLockSet", "if (lease.state() == LeaseState.LOST) {", "if (lease.name().isEmpty()) {"),
    EACH_OF_A_SET_MAY_TAKE_ALL_THE_TIME("NamedLockSet", "Math.max(1, patience - (engine.nanos() - since))", "patience");

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
