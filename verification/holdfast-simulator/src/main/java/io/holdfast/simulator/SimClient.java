package io.holdfast.simulator;

import io.holdfast.LockInfo;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.AttemptStore;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.Renewal;
import io.holdfast.spi.Scheduler;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/** One process's client of the {@link SimServer}: asks over the network, and gives up on an answer after a while. */
final class SimClient implements AttemptStore {

    private static final long TIMEOUT = 400 * World.MILLI;

    private final SimProcess process;
    private final SimServer server;
    private final Network network;
    private final Plant plant;
    private Consumer<String> freed = name -> {};
    private final Set<ClaimId> sent = new HashSet<>();
    private boolean atOnce;

    SimClient(SimProcess process, SimServer server, Network network, Plant plant) {
        this.process = process;
        this.server = server;
        this.network = network;
        this.plant = plant;
    }

    /** Did this client send the claim? */
    boolean owns(ClaimId id) {
        return sent.contains(id);
    }

    /** A wake-up from the server has arrived. */
    void wakeUp(String name) {
        freed.accept(name);
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

    @Override
    public CompletableFuture<Attempt> attempt(Claim claim) {
        sent.add(claim.id());
        Moment sent = process.now();
        return ask(s -> s.attempt(claim)).thenApply(answer -> {
            if (answer.held() == null) {
                return new Attempt.Busy(answer.left());
            }
            Moment from = plant == Plant.DEADLINE_FROM_REPLY ? process.now() : sent;
            return new Attempt.Granted(new Grant(
                    claim, answer.held().block().first(), answer.held().block().size(), from, answer.left()));
        });
    }

    @Override
    public CompletableFuture<List<Renewal.Outcome>> renew(List<Renewal> renewals) {
        return ask(s -> s.renew(renewals));
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        return ask(s -> s.release(claim));
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return ask(s -> s.inspect(filter));
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return ask(s -> s.revoke(name, token));
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

    private <T> CompletableFuture<T> ask(Function<SimServer, T> command) {
        if (atOnce) {
            return process.isRunning() && server.process().isRunning() && !network.isCut()
                    ? CompletableFuture.completedFuture(command.apply(server))
                    : CompletableFuture.failedFuture(new TimeoutException("no answer"));
        }
        CompletableFuture<T> answer = new CompletableFuture<>();
        network.carry(server.process(), () -> {
            T result = command.apply(server);
            network.carry(process, () -> answer.complete(result));
        });
        Scheduler.Task timeout =
                process.schedule(() -> answer.completeExceptionally(new TimeoutException("no answer")), TIMEOUT);
        return answer.whenComplete((result, failure) -> timeout.cancel());
    }
}
