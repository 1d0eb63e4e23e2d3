package io.holdfast.simulator;

import io.holdfast.LeaseState;
import io.holdfast.LockOptions;
import io.holdfast.spi.ClaimId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What the engine owes to the owner of a lease, and to the store that granted it. Each rule is checked where it can first
 * be broken: when a lease begins, after each step of its process, when an answer has arrived, and when it ends.
 */
final class LeaseRules {

    /** The way there and back, timers that are batched, and clocks of different speed. */
    private static final long MARGIN = 60 * World.MILLI;

    /** Conversions between clocks round down. */
    private static final long ROUNDING = 2_000;

    private final World world;
    private final GrantHistory history;
    private final Receipts receipts;
    private final List<String> violations = new ArrayList<>();

    LeaseRules(World world, GrantHistory history, Receipts receipts) {
        this.world = world;
        this.history = history;
        this.receipts = receipts;
    }

    List<String> violations() {
        return violations;
    }

    /** A lease has been handed to a user. */
    void began(Belief belief) {
        Receipts.Receipt receipt = belief.receipt;
        if (receipt == null) {
            violations.add("A token that the store has not granted to this process: " + belief);
            return;
        }
        if (belief.number > 1) {
            handedOver(belief, receipt);
        }
    }

    /**
     * A hand-off starts within the time slice. If it needs a renewal first, it ends when that is answered, and an answer is
     * waited for no longer than the client's timeout; a process that was stopped meanwhile notices the answer when it wakes.
     */
    private void handedOver(Belief belief, Receipts.Receipt receipt) {
        SimProcess process = belief.process();
        long late = belief.sinceNanos - receipt.sent - belief.node.slice() - SimClient.TIMEOUT - MARGIN;
        if (late > 0 && belief.isBeginKnown && process.awakeSince() < world.now() - process.toWorld(late)) {
            violations.add("Handed over " + late / World.MILLI + " ms after the end of the time slice: " + belief);
        }
        if (receipt.revoking) {
            violations.add("Handed over while it was being released by force: " + belief);
        }
        // Readers who share the grant do not end it, so they need not wait.
        if (world.now() < receipt.heldBackUntil && belief.role != Role.READER && belief.role != Role.DOWNGRADED) {
            violations.add("Handed over before holdAtLeast was over: " + belief);
        }
    }

    /** After a step of its process: no renewal may carry a lease beyond what its options allow. */
    void looked(Belief belief, long left) {
        LockOptions options = belief.options;
        long elapsed = belief.process().nanos() - belief.sinceNanos;
        if (options.renewal() == LockOptions.Renewal.OFF
                && left + elapsed > options.leaseTime().toNanos()) {
            violations.add("Lasts longer than its lease although renewal is off: " + belief);
        }
        Duration maxHold = options.maxHold().orElse(null);
        if (maxHold != null && left + elapsed > maxHold.toNanos()) {
            violations.add("Lasts longer than maxHold: " + belief);
        }
    }

    /** A renewal was answered GONE: nobody may believe in the grant any more. */
    void renewalGone(ClaimId claim, List<Belief> open) {
        for (Belief belief : open) {
            if (isOf(belief, claim) && !belief.isOver()) {
                violations.add("Believed after the store has answered that it is gone: " + belief);
            }
        }
    }

    /** A renewal has failed: whoever still believes is at risk, and must be able to see it. */
    void renewalFailed(ClaimId claim, List<Belief> open) {
        for (Belief belief : open) {
            if (isOf(belief, claim) && !belief.isOver() && belief.lease.state() == LeaseState.HELD) {
                violations.add("Not at risk although a renewal has failed: " + belief);
            }
        }
    }

    private static boolean isOf(Belief belief, ClaimId claim) {
        return belief.receipt != null && belief.receipt.claim.id().equals(claim);
    }

    /** Its owner has released it, or was notified of its loss, or died. */
    void ended(Belief belief, long believedUntil) {
        endsInTime(belief, believedUntil);
        isNotifiedInTime(belief);
    }

    /**
     * A grant that the store has dropped is believed in for one renewal interval at most, because the next renewal is
     * answered GONE. Excused is, until its own deadline ends it, a lease that is not renewed to its end (renewal off,
     * maxHold); and a process that could not get an answer: it or the server was stopped, or a message was lost or late. That
     * excuse ends one timeout and one retry after the last such trouble.
     */
    private void endsInTime(Belief belief, long believedUntil) {
        GrantHistory.Entry grant = history.of(belief.lease.name(), belief.lease.token());
        if (grant == null
                || believedUntil <= grant.droppedAt()
                || grant.isBack()
                || belief.options.renewal() == LockOptions.Renewal.OFF
                || belief.options.maxHold().isPresent()) {
            return;
        }
        SimProcess process = belief.process();
        long start = Math.max(
                Math.max(grant.droppedAt(), belief.from),
                belief.node.client().fineSince() + process.toWorld(SimClient.TIMEOUT));
        long interval = process.toWorld(belief.options.leaseTime().toNanos() / 3);
        if (believedUntil > start + interval + MARGIN) {
            violations.add("Believed for " + (believedUntil - grant.droppedAt()) / World.MILLI
                    + " ms after the store had dropped it: " + belief);
        }
    }

    /**
     * An owner is notified when its time is over. Excused are timers of a process that was stopped meanwhile; and leases that
     * end at a moment which no timer foresees, because the machine has slept or its wall clock was set.
     */
    private void isNotifiedInTime(Belief belief) {
        SimProcess process = belief.process();
        if (!process.isDead()
                && process.awakeSince() <= belief.since
                && process.slept() == 0
                && !process.hasSteppedWallClock()
                && world.now() > belief.validUntil + MARGIN) {
            violations.add("Not notified of its end for " + (world.now() - belief.validUntil) / World.MILLI + " ms: "
                    + belief);
        }
    }

    /** Its owner is about to release it, and it is not over. */
    void releasing(Belief belief) {
        Receipts.Receipt receipt = belief.receipt;
        long holdAtLeast = belief.options.holdAtLeast().toNanos();
        if (receipt == null || holdAtLeast == 0) {
            return;
        }
        receipt.heldBack = true;
        if (belief.isBeginKnown) {
            long until = belief.since + belief.process().toWorld(holdAtLeast) - ROUNDING;
            receipt.heldBackUntil = Math.max(receipt.heldBackUntil, until);
        }
    }

    /** The server releases a claim that holds. */
    void released(ClaimId claim) {
        Receipts.Receipt receipt = receipts.of(claim);
        if (receipt != null && world.now() < receipt.heldBackUntil) {
            violations.add("Released " + (receipt.heldBackUntil - world.now()) / World.MILLI
                    + " ms before holdAtLeast was over: claim " + claim + " of " + receipt.client);
        }
    }

    /**
     * The server lets a claim end at {@code until}. Its clock and that of the process, on which the hold is measured, differ by less
     * than a hundredth.
     */
    void shortened(ClaimId claim, long until) {
        Receipts.Receipt receipt = receipts.of(claim);
        if (receipt == null) {
            return;
        }
        long missing = receipt.heldBackUntil - until;
        if (missing > Math.max(0, receipt.heldBackUntil - world.now()) / 100) {
            violations.add("Shortened to " + missing / World.MILLI + " ms less than holdAtLeast: claim " + claim
                    + " of " + receipt.client);
        }
    }

    /**
     * A call of release has ended with "it was still ours". Nothing is known if the store was asked for the sake of another: a grant
     * that was handed over is released by its last user.
     */
    void releasedAsOurs(Belief belief) {
        Receipts.Receipt receipt = belief.receipt;
        if (receipt == null || receipt.leases != belief.number) {
            return;
        }
        // A set is released when the last of its locks is: the grant of another may have been given up and refused by
        // then.
        if (receipt.refused && belief.role != Role.MEMBER) {
            violations.add("Released as still held although the store has answered that it was not: " + belief);
        }
        // Readers share a claim, and the last of them may have left later than this one.
        if (receipt.heldBackUntil > world.now() && !receipt.shortened && belief.role.isAlone()) {
            violations.add("Released before holdAtLeast was over, and its lease was not shortened: " + belief);
        }
    }
}
