package io.holdfast.simulator;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.AttemptStore;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Scheduler;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One process's client of the {@link SimServer}: asks over the network, and gives up on an answer after a while. */
final class SimClient implements AttemptStore {

    /** How long an answer is waited for, on the clock of the process. */
    static final long TIMEOUT = 400 * World.MILLI;

    private static final int MOST_AT_ONCE = 1_000;

    private final World world;
    private final SimProcess process;
    private final SimServer server;
    private final Network network;
    private final Link link;
    private final Beliefs beliefs;
    private final Plant plant;
    private Consumer<String> freed = name -> {};
    private final Set<ClaimId> sent = new HashSet<>();
    private boolean atOnce;
    private long timeout = TIMEOUT;
    private long instant;
    private int requestsNow;

    SimClient(World world, SimProcess process, SimServer server, Network network, Beliefs beliefs, Plant plant) {
        this.world = world;
        this.process = process;
        this.server = server;
        this.network = network;
        this.link = network.connect(process);
        this.beliefs = beliefs;
        this.plant = plant;
    }

    /** Did this client send the claim? */
    boolean owns(ClaimId id) {
        return sent.contains(id);
    }

    Link link() {
        return link;
    }

    /** Since when nothing has kept this client from getting its answers at once, in world time. */
    long fineSince() {
        return Math.max(
                link.fineSince(),
                Math.max(process.awakeSince(), server.process().awakeSince()));
    }

    /** The server sends a wake-up. */
    void wakeUp(String name) {
        network.carry(link, Link.Direction.ANSWERS, process, () -> freed.accept(name));
    }

    /** For calls that wait for the answer: there is one thread, so the server answers in no time, or does not answer. */
    boolean atOnce(BooleanSupplier call) {
        atOnce = true;
        try {
            return call.getAsBoolean();
        } finally {
            atOnce = false;
        }
    }

    /** From now on requests time out after {@code nanos}. */
    void waitForAnswers(long nanos) {
        timeout = nanos;
    }

    /** Inside of {@link #atOnce}: what does not wait for answers. */
    void later(Runnable action) {
        atOnce = false;
        try {
            action.run();
        } finally {
            atOnce = true;
        }
    }

    @Override
    public CompletableFuture<Attempt> attempt(Claim claim) {
        sent.add(claim.id());
        Moment sent = process.now();
        return ask(s -> s.attempt(claim), (answer, failure) -> {}).thenApply(answer -> {
            NameModel.Holder held = answer.held();
            if (held == null) {
                return new Attempt.Busy(answer.left());
            }
            beliefs.receipts().arrived(claim, this, held.firstToken, held.tokens, sent.nanos());
            Moment from = plant == Plant.DEADLINE_FROM_REPLY ? process.now() : sent;
            return new Attempt.Granted(new Grant(claim, held.firstToken, held.tokens, from, answer.left()));
        });
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> renewals) {
        return ask(s -> s.renew(renewals), (outcomes, failure) -> {
            for (int i = 0; i < renewals.size(); i++) {
                ClaimId claim = renewals.get(i).claim().id();
                if (outcomes == null) {
                    beliefs.renewalFailed(claim);
                } else if (outcomes.get(i) == RenewalRequest.Outcome.GONE) {
                    beliefs.renewalGone(claim);
                }
            }
        });
    }

    @Override
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        Receipts.Receipt receipt = beliefs.receipts().of(claim.id());
        if (receipt != null) {
            receipt.shortened = true;
        }
        return given(claim, ask(s -> s.shorten(claim, lease), (held, failure) -> {}));
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        return given(claim, ask(s -> s.release(claim), (held, failure) -> {}));
    }

    private CompletableFuture<Boolean> given(Claim claim, CompletableFuture<Boolean> answer) {
        Receipts.Receipt receipt = beliefs.receipts().of(claim.id());
        if (receipt == null || receipt.releases++ > 0) {
            return answer;
        }
        // Before the engine processes it.
        return answer.thenApply(held -> {
            receipt.refused = !held;
            return held;
        });
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return ask(s -> s.inspect(filter), (infos, failure) -> {});
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        if (atOnce && world.chance(0.4)) {
            // The caller's wait is over before the server has the request.
            network.carry(link, Link.Direction.REQUESTS, server.process(), () -> server.revoke(name, token));
            return noAnswer();
        }
        return ask(s -> s.revoke(name, token), (done, failure) -> {});
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(
                "simulated:",
                server.queues() ? Capabilities.Queue.FIFO : Capabilities.Queue.NONE,
                Capabilities.Sharing.UNITS);
    }

    @Override
    public void onHint(Consumer<String> listener) {
        freed = listener;
    }

    @Override
    public void close() {}

    /** Sends a command; {@code then} sees what came of it after the engine has processed it. */
    private <T> CompletableFuture<T> ask(
            Function<SimServer, T> command, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        if (isEndless()) {
            return new CompletableFuture<>();
        }
        if (atOnce) {
            return askAtOnce(command);
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        network.carry(link, Link.Direction.REQUESTS, server.process(), () -> {
            T result = command.apply(server);
            network.carry(link, Link.Direction.ANSWERS, process, () -> {
                if (answer.complete(result)) {
                    then.accept(result, null);
                }
            });
        });
        TimeoutException late = new TimeoutException("no answer");
        Scheduler.Task timer = process.schedule(
                () -> {
                    if (answer.completeExceptionally(late)) {
                        then.accept(null, late);
                    }
                },
                timeout);
        return answer.whenComplete((result, failure) -> timer.cancel());
    }

    private <T> CompletableFuture<T> askAtOnce(Function<SimServer, T> command) {
        if (!process.isRunning() || !server.process().isRunning() || network.isCut(link, Link.Direction.REQUESTS)) {
            return noAnswer();
        }
        T result = command.apply(server);
        return network.isCut(link, Link.Direction.ANSWERS) ? noAnswer() : CompletableFuture.completedFuture(result);
    }

    /** An engine that retries without a delay would never let time pass: it gets no answer any more. */
    private boolean isEndless() {
        requestsNow = world.now() == instant ? requestsNow + 1 : 0;
        instant = world.now();
        if (requestsNow == MOST_AT_ONCE) {
            beliefs.complain("Requests without end at one moment: from " + process);
        }
        return requestsNow >= MOST_AT_ONCE;
    }

    private <T> CompletableFuture<T> noAnswer() {
        link.troubled(world.now());
        return CompletableFuture.failedFuture(new TimeoutException("no answer"));
    }

    @Override
    public String toString() {
        return process.toString();
    }
}
