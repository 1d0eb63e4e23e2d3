package io.holdfast.simulator;

/** A bug for the ledger of the in-JVM store, which the comparison with the model has to find. */
enum LedgerBug implements Mutation {
    NEWCOMERS_OVERTAKE_THE_QUEUE(
            "Ledger", "if (queue.isEmpty() && fits(claim)) {", "if (!queue.containsKey(claim.id()) && fits(claim)) {"),
    SMALL_CLAIMS_OVERTAKE_A_LARGE_ONE(
            "Ledger",
            "if (!fits(head)) {",
            "for (Queued each : queue.values()) { if (!fits(head) && fits(each.claim)) { head = each.claim; } }\n            if (!fits(head)) {"),
    RELEASED_PERMIT_COUNTED_TWICE(
            "Ledger",
            "            remove(held);\n        }\n        return held != null;",
            "            remove(held);\n            unitsHeld -= held.units;\n        }\n        return held != null;"),
    EXPIRED_PERMIT_COUNTED_TWICE(
            "Ledger",
            "<= 0) {\n                remove(held);",
            "<= 0) {\n                unitsHeld -= held.units;\n                remove(held);"),
    EVERY_CLAIM_COUNTED_AS_ONE("Ledger", "unitsHeld + claim.units() <=", "unitsHeld + 1 <="),
    DOWNGRADE_IS_COUNTED_AGAIN("Ledger", "        held.units = fewer;\n", ""),
    RENEWAL_SHORTENS(
            "Ledger",
            "held.endsAt = now + Math.max(held.endsAt - now, renewal.lease().toNanos());",
            "held.endsAt = now + renewal.lease().toNanos();"),
    SHORTENING_LENGTHENS("Ledger", "Math.min(held.endsAt - now, lease)", "Math.max(held.endsAt - now, lease)"),
    SHORTER_END_IS_OVERLOOKED(
            "Ledger", "            firstEnd = now + Math.min(firstEnd - now, held.endsAt - now);\n", ""),
    RENEWAL_GIVES_NO_UNITS_BACK("Ledger", "        unitsHeld -= held.units - fewer;\n", ""),
    ASKING_AGAIN_IS_A_SECOND_CLAIM("Ledger", "if (own != null) {", "if (own != null && own.units > 1) {"),
    RELEASE_LEAVES_THE_QUEUED_CLAIM("Ledger", "            queue.remove(id);\n", ""),
    TRY_IS_QUEUED("Ledger", "if (claim.mode() == Claim.Mode.WAIT) {", "if (claim.mode() != null) {"),
    LEASE_OUTLIVES_ITS_END("Ledger", "if (held.endsAt - now <= 0) {", "if (held.endsAt - now < 0) {"),
    EARLIER_END_IS_OVERLOOKED(
            "Ledger", "held.endsAt - firstEnd < 0 ? held.endsAt", "held.endsAt - firstEnd > 0 ? held.endsAt"),
    REVOCATION_BEYOND_THE_BLOCK(
            "Ledger",
            "token - held.block.first() < held.block.size()",
            "token - held.block.first() <= held.block.size()"),
    RELEASED_HOLDER_STAYS_IN_THE_INDEX("Ledger", "            byId.remove(gone.claim.id());\n", ""),
    NAME_CHANGES_ITS_SIZE("Ledger", "} else if (capacity != claim.capacity()) {", "} else if (capacity == 0) {"),
    BLOCKS_OVERLAP("TokenClock", "first + size - 1)", "first)"),
    BLOCKS_RUN_AWAY_FROM_THE_CLOCK("TokenClock", "seen >= clockMicros ? 1 :", "seen < 0 ? 1 :"),
    TOKENS_FALL_BEHIND_THE_CLOCK(
            "TokenClock", "Math.max(seen + 1, clockMicros)", "(seen == 0 ? clockMicros : seen + 1)");

    private final String className;
    private final String original;
    private final String mutated;

    LedgerBug(String className, String original, String mutated) {
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
