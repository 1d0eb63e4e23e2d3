package io.holdfast.lincheck;

import io.holdfast.internal.memory.MemoryStore;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.monitoring.Owner;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;

/** The in-JVM store answers like {@link PlainLedger}; and whoever has the name in the end has been told. */
@Param(name = "own", gen = ThreadIdGen.class)
@Param(name = "any", gen = IntGen.class, conf = "0:2")
public class MemoryStoreCheck implements Check {

    static final Duration LEASE = Duration.ofSeconds(9);

    private final SharedTime time = new SharedTime();
    private final LockStore store = MemoryStore.open(time.environment());
    private final ConcurrentHashMap<Integer, CompletableFuture<Optional<Grant>>> answers = new ConcurrentHashMap<>();

    /** A request counts from when it was sent. One that time overtakes is right, and still not like the plain model's. */
    private final ReentrantReadWriteLock standstill = new ReentrantReadWriteLock();

    private static Claim claim(int id, Claim.Mode mode) {
        return new Claim("name", new ClaimId(1, id), mode, 1, 1, LEASE, 1, new Owner("host", 1, "", ""));
    }

    @Operation
    public void acquire(@Param(name = "own") int id) {
        var unused = under(standstill.readLock(), () -> answers.put(id, store.acquire(claim(id, Claim.Mode.WAIT))));
    }

    @Operation
    public String tryAcquire(@Param(name = "own") int id) {
        return under(standstill.readLock(), () -> store.acquire(claim(id, Claim.Mode.TRY)))
                .join()
                .map(grant -> "token " + grant.firstToken())
                .orElse("taken");
    }

    @Operation
    public boolean release(@Param(name = "any") int id) {
        return under(standstill.readLock(), () -> store.release(claim(id, Claim.Mode.WAIT)))
                .join();
    }

    @Operation
    public boolean renew(@Param(name = "any") int id) {
        List<RenewalRequest> renewals = List.of(new RenewalRequest(claim(id, Claim.Mode.WAIT), LEASE));
        return under(standstill.readLock(), () -> store.renew(renewals)).join().get(0) == RenewalRequest.Outcome.KEPT;
    }

    @Operation
    public String inspect() {
        return under(standstill.readLock(), () -> store.inspect(NameFilter.exactly("name"))).join().stream()
                .findFirst()
                .map(MemoryStoreCheck::describe)
                .orElse("free");
    }

    @Operation
    public void expire() {
        under(standstill.writeLock(), () -> {
            time.pass(LEASE);
            return true;
        });
    }

    private static String describe(LockInfo info) {
        return "token " + info.holders().get(0).token() + ", " + info.waiters() + " waiting";
    }

    private static <T> T under(Lock lock, Supplier<T> call) {
        lock.lock();
        try {
            return call.get();
        } finally {
            lock.unlock();
        }
    }

    @Validate
    public void settled() {
        settle();
    }

    @Override
    public void settle() {
        answers.forEach((id, answer) -> {
            if (renew(id) && !answer.isDone()) {
                throw new IllegalStateException("claim " + id + " holds the name, and was not told");
            }
        });
    }

    @Override
    public void rehearse() {
        acquire(1);
        tryAcquire(2);
        acquire(2);
        renew(1);
        inspect();
        release(1);
        expire();
        settle();
    }
}
