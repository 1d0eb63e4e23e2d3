package io.holdfast.simulator;

import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.spi.ClaimId;
import io.holdfast.tck.Span;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Who believes to hold what, exactly: a belief ends when it is given up, or when its owner's clock says so. The work under
 * it may go on, until its owner has noticed.
 */
final class Beliefs {

    private final World world;
    private final GrantHistory history = new GrantHistory();
    private final Receipts receipts = new Receipts();
    private final LeaseRules rules;
    private final List<Belief> open = new ArrayList<>();
    private final List<Work> works = new ArrayList<>();
    private final List<Possession> past = new ArrayList<>();
    private final List<String> complaints = new ArrayList<>();

    /** Somebody at work under a lease, who may have lost it. */
    private record Work(Lease lease, SimProcess process) {}

    Beliefs(World world) {
        this.world = world;
        this.rules = new LeaseRules(world, history, receipts);
    }

    GrantHistory history() {
        return history;
    }

    Receipts receipts() {
        return receipts;
    }

    List<String> complaints() {
        List<String> all = new ArrayList<>(complaints);
        all.addAll(rules.violations());
        return all;
    }

    void complain(String violation) {
        complaints.add(violation);
    }

    void begin(Lease lease, Role role, int units, Node node, LockOptions options) {
        world.trace(
                node.toString(), () -> "has the " + role + " lease '" + lease.name() + "' with token " + lease.token());
        Receipts.Receipt receipt = receipts.of(lease.name(), lease.token(), node.client());
        Belief belief = new Belief(lease, role, units, node, options, receipt, world.now());
        rules.began(belief);
        open(belief);
        works.add(new Work(lease, node.process()));
        lease.onLost(() -> end(lease, "loses"));
    }

    /** The writer has become a reader. */
    void downgraded(Lease lease) {
        Belief writer = find(lease);
        if (writer != null) {
            open.remove(writer);
            close(writer, "downgrades");
            open(writer.downgraded(world.now()));
        }
    }

    /** Its owner has stopped working, and is about to release it. */
    void leave(Lease lease) {
        works.removeIf(work -> work.lease.equals(lease));
        Belief belief = find(lease);
        if (belief != null && !belief.isOver()) {
            rules.releasing(belief);
        }
        end(lease, "releases");
    }

    /** Its owner stops working and releases it. */
    CompletableFuture<Boolean> release(Lease lease) {
        Belief belief = find(lease);
        leave(lease);
        return lease.releaseAsync().whenComplete((ours, failure) -> {
            if (Boolean.TRUE.equals(ours)) {
                releasedAsOurs(belief);
            }
        });
    }

    /** A call of release has ended with "it was still ours". */
    void releasedAsOurs(@Nullable Belief belief) {
        if (belief != null) {
            rules.releasedAsOurs(belief);
        }
    }

    void endAllOf(SimProcess process) {
        works.removeIf(work -> work.process == process);
        for (int i = open.size() - 1; i >= 0; i--) {
            if (open.get(i).process() == process) {
                close(open.remove(i), "died");
            }
        }
    }

    /** After each step of a process its view is recorded; between two steps it can only end as foreseen. */
    void look(SimProcess process) {
        for (Belief belief : open) {
            if (belief.process() == process) {
                foresee(belief);
            }
        }
    }

    /** The answer to a renewal has been processed. */
    void renewalGone(ClaimId claim) {
        rules.renewalGone(claim, open);
    }

    /** The failure of a renewal has been processed. */
    void renewalFailed(ClaimId claim) {
        rules.renewalFailed(claim, open);
    }

    /** The server releases a claim that holds: nobody may work under it, and it must have been held for long enough. */
    void checkReleased(NameModel.Holder held) {
        checkNobodyWorks(held, "Released");
        rules.released(held.claim.id());
    }

    /** The server lets a claim end at {@code until}: nobody may work under it, and that must be long enough. */
    void checkShortened(NameModel.Holder held, long until) {
        checkNobodyWorks(held, "Shortened");
        rules.shortened(held.claim.id(), until);
    }

    private void checkNobodyWorks(NameModel.Holder held, String what) {
        for (Work work : works) {
            long place = work.lease.token() - held.firstToken;
            if (place >= 0 && place < held.tokens && work.lease.name().equals(held.claim.name())) {
                complaints.add(what + " while somebody works under it: '" + held.claim.name() + "' token "
                        + work.lease.token() + " in " + work.process);
            }
        }
    }

    /** Was a lease with holdAtLeast released, so that the claim may end by expiry? */
    boolean isHeldBack(ClaimId claim) {
        Receipts.Receipt receipt = receipts.of(claim);
        return receipt != null && receipt.heldBack;
    }

    /** Any lease that is believed in; null without one. */
    @Nullable
    Belief any() {
        return open.isEmpty() ? null : open.get(world.pick(open.size()));
    }

    @Nullable
    Belief find(Lease lease) {
        for (Belief belief : open) {
            if (belief.lease.equals(lease)) {
                return belief;
            }
        }
        return null;
    }

    List<Possession> past() {
        return past;
    }

    private void open(Belief belief) {
        foresee(belief);
        open.add(belief);
    }

    private void foresee(Belief belief) {
        long left = belief.lease.remaining().toNanos();
        if (left > 0) {
            belief.validUntil = world.now() + belief.process().toWorld(left);
            rules.looked(belief, left);
        }
    }

    private void end(Lease lease, String why) {
        Belief belief = find(lease);
        if (belief != null) {
            open.remove(belief);
            close(belief, why);
        }
    }

    private void close(Belief belief, String why) {
        long to = Math.min(world.now(), belief.validUntil);
        rules.ended(belief, to);
        String name = belief.lease.name();
        long token = belief.lease.token();
        world.trace(
                belief.process().toString(),
                () -> why + " '" + name + "' token " + token + ", believed until " + to / 1e9);
        Span span = new Span(name, token, belief.process().toString(), belief.from, to);
        past.add(new Possession(span, belief.role, belief.units));
    }
}
