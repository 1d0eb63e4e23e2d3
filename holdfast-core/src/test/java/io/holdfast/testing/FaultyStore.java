package io.holdfast.testing;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A real store behind a line that a test can cut, delay or count. */
public final class FaultyStore implements LockStore {

    private final LockStore store;
    public final AtomicInteger acquires = new AtomicInteger();
    public final AtomicInteger renewals = new AtomicInteger();
    public final AtomicInteger releases = new AtomicInteger();

    /** What happens to answers; the commands have been executed. */
    public volatile UnaryOperator<CompletableFuture<?>> answers = answer -> answer;

    /** The claims that were sent, the newest last. */
    public final List<Claim> claims = new CopyOnWriteArrayList<>();

    /** What requests for a name fail with, without being executed; null for none. */
    public volatile Function<String, @Nullable Throwable> failures = name -> null;

    /** Claims get no answer, and are not executed. */
    public volatile boolean ignoresClaims;

    /** Requests to shorten fail, and are not executed. */
    public volatile boolean failsShortening;

    /** Renewals are executed and answered when the test says so. */
    public volatile boolean delaysRenewals;

    /** The renewals that were delayed. */
    public final List<Runnable> delayed = new CopyOnWriteArrayList<>();

    /** Gets the name of every claim whose renewal is sent. */
    public volatile Consumer<String> renewed = name -> {};

    /** Nothing gets through. */
    public volatile boolean down;

    public FaultyStore(LockStore store) {
        this.store = store;
    }

    /** Executes the renewals that were delayed, and delivers their answers. */
    public void sendDelayed() {
        delaysRenewals = false;
        delayed.forEach(Runnable::run);
        delayed.clear();
    }

    private interface Call<T> {
        CompletableFuture<T> send();
    }

    @SuppressWarnings("unchecked")
    private <T> CompletableFuture<T> through(Call<T> call) {
        if (down) {
            return CompletableFuture.failedFuture(new TimeoutException("the store is down"));
        }
        return (CompletableFuture<T>) answers.apply(call.send());
    }

    @Override
    public CompletableFuture<Optional<Grant>> acquire(Claim claim) {
        acquires.incrementAndGet();
        claims.add(claim);
        if (ignoresClaims) {
            return new CompletableFuture<>();
        }
        Throwable failure = failures.apply(claim.name());
        return failure != null ? CompletableFuture.failedFuture(failure) : through(() -> store.acquire(claim));
    }

    @Override
    public CompletableFuture<List<RenewalRequest.Outcome>> renew(List<RenewalRequest> batch) {
        renewals.incrementAndGet();
        batch.forEach(renewal -> renewed.accept(renewal.claim().name()));
        if (delaysRenewals) {
            CompletableFuture<List<RenewalRequest.Outcome>> answer = new CompletableFuture<>();
            delayed.add(() -> answer.complete(store.renew(batch).join()));
            return answer;
        }
        Throwable failure = failures.apply(batch.get(0).claim().name());
        return failure != null ? CompletableFuture.failedFuture(failure) : through(() -> store.renew(batch));
    }

    @Override
    public CompletableFuture<Boolean> release(Claim claim) {
        releases.incrementAndGet();
        return through(() -> store.release(claim));
    }

    @Override
    public CompletableFuture<Boolean> shorten(Claim claim, Duration lease) {
        if (failsShortening) {
            return CompletableFuture.failedFuture(new TimeoutException("planted: not shortened"));
        }
        return through(() -> store.shorten(claim, lease));
    }

    @Override
    public CompletableFuture<List<LockInfo>> inspect(NameFilter filter) {
        return through(() -> store.inspect(filter));
    }

    @Override
    public CompletableFuture<Boolean> revoke(String name, long token) {
        return through(() -> store.revoke(name, token));
    }

    @Override
    public Capabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public void close() {
        store.close();
    }
}
