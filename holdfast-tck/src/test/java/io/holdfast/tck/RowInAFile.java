package io.holdfast.tck;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.spi.Attempt;
import io.holdfast.spi.BlockingStore;
import io.holdfast.spi.Capabilities;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Grant;
import io.holdfast.spi.LockStore;
import io.holdfast.spi.Moment;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.StoreProvider;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.support.ThreadedStore;
import io.holdfast.spi.support.WaitingStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** The smallest store that several processes can share: one name, kept in a file of five numbers. It can have a bug. */
final class RowInAFile implements BlockingStore {

    private static final int SIZE = 5 * Long.BYTES;

    /** What is wrong with it. */
    enum Bug {
        NONE,
        TOKENS_ARE_COUNTED_BY_THE_PROCESS,
        LEASES_DO_NOT_END
    }

    /** Opens {@code BUG:PATH}. */
    static final class Provider implements StoreProvider {

        @Override
        public Set<String> schemes() {
            return Set.of("row");
        }

        @Override
        public LockStore open(String url, Environment environment) {
            int colon = url.indexOf(':');
            RowInAFile store = new RowInAFile(
                    Bug.valueOf(url.substring(0, colon)), Path.of(url.substring(colon + 1)), environment.ticker());
            return new WaitingStore(
                    new ThreadedStore(store, environment.executor()), environment, Duration.ofMillis(5));
        }
    }

    /** Who holds, with which tokens, until when on the wall clock in microseconds. */
    private record Row(long random, long sequence, long firstToken, long tokens, long endsAt) {

        boolean isOf(Claim claim) {
            return claim.id().random() == random && claim.id().sequence() == sequence;
        }

        Row endingAt(long end) {
            return new Row(random, sequence, firstToken, tokens, end);
        }
    }

    private final Bug bug;
    private final Ticker ticker;
    private final FileChannel file;
    private long counted;

    private RowInAFile(Bug bug, Path path, Ticker ticker) {
        this.bug = bug;
        this.ticker = ticker;
        try {
            this.file = FileChannel.open(
                    path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }

    @Override
    public synchronized Attempt attempt(Claim claim) throws IOException {
        Moment sent = ticker.now();
        FileLock lock = file.lock();
        try {
            long now = ticker.wallMicros();
            Row row = read();
            if (row.endsAt <= now) {
                long first = Math.max(row.firstToken + row.tokens, now);
                if (bug == Bug.TOKENS_ARE_COUNTED_BY_THE_PROCESS) {
                    counted += claim.tokens();
                    first = counted;
                }
                long end = now + (bug == Bug.LEASES_DO_NOT_END ? Duration.ofHours(1) : claim.lease()).toNanos() / 1_000;
                row = new Row(claim.id().random(), claim.id().sequence(), first, claim.tokens(), end);
                write(row);
            }
            Duration left = Duration.ofNanos((row.endsAt - now) * 1_000);
            return row.isOf(claim)
                    ? new Attempt.Granted(new Grant(claim, row.firstToken, (int) row.tokens, sent, left))
                    : new Attempt.Busy(left);
        } finally {
            lock.release();
        }
    }

    @Override
    public synchronized List<RenewalRequest.Outcome> renew(List<RenewalRequest> renewals) {
        return renewals.stream().map(renewal -> RenewalRequest.Outcome.UNKNOWN).toList();
    }

    @Override
    public synchronized boolean release(Claim claim) throws IOException {
        FileLock lock = file.lock();
        try {
            Row row = read();
            boolean held = row.isOf(claim) && row.endsAt > ticker.wallMicros();
            if (held) {
                write(row.endingAt(0));
            }
            return held;
        } finally {
            lock.release();
        }
    }

    @Override
    public List<LockInfo> inspect(NameFilter filter) {
        return List.of();
    }

    @Override
    public boolean revoke(String name, long token) {
        return false;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities("row", Capabilities.Queue.NONE, Capabilities.Sharing.EXCLUSIVE_ONLY);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private Row read() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(SIZE);
        return file.read(bytes, 0) < SIZE
                ? new Row(0, 0, 0, 0, 0)
                : new Row(bytes.getLong(0), bytes.getLong(8), bytes.getLong(16), bytes.getLong(24), bytes.getLong(32));
    }

    private void write(Row row) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(SIZE);
        bytes.putLong(row.random).putLong(row.sequence).putLong(row.firstToken);
        bytes.putLong(row.tokens).putLong(row.endsAt).flip();
        file.write(bytes, 0);
    }
}
