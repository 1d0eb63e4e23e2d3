package io.holdfast.jdbc;

import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A name in a transaction: its row, which is locked, and those who share it. What is changed here is written by
 * {@link #write()}.
 */
final class LockedName {

    /** For how long a claim that was released is remembered; longer than a request of it can be under way. */
    private static final long REMEMBERED_MICROS = 10 * 60 * 1_000_000L;

    private final Session session;
    private final LeaseSql sql;
    private final Dialect dialect;
    private final String name;
    private final LeaseRow row;
    private final Map<String, Share> live = new LinkedHashMap<>();

    private int capacity;
    private @Nullable String claim;
    private long firstToken;
    private long lastToken;
    private long grantedAt;
    private long endsAt;
    private @Nullable String owner;
    private @Nullable String nextClaim;
    private long nextUntil;
    private @Nullable String ended;
    private final WaitQueue queue;

    private LockedName(Session session, LeaseSql sql, Dialect dialect, String name, LeaseRow row) {
        this.session = session;
        this.sql = sql;
        this.dialect = dialect;
        this.name = name;
        this.row = row;
        this.capacity = row.capacity();
        this.claim = row.claim();
        this.firstToken = row.firstToken();
        this.lastToken = row.lastToken();
        this.grantedAt = row.grantedAt();
        this.endsAt = row.endsAt();
        this.owner = row.owner();
        this.nextClaim = row.nextClaim();
        this.nextUntil = row.nextUntil();
        this.ended = row.ended();
        this.queue = row.waitQueue();
    }

    /** For how long to wait for a row that another session has locked. */
    enum Wait {
        FOR_THE_LOCK_TIMEOUT,
        NOT_AT_ALL
    }

    /** Locks the row; null if there is none. */
    static @Nullable LockedName find(Session session, LeaseSql sql, Dialect dialect, String name, Wait wait)
            throws SQLException {
        LeaseRow row = read(session, wait == Wait.NOT_AT_ALL ? sql.lockAtOnce : sql.lock, dialect, name);
        if (row == null) {
            return null;
        }
        LockedName locked = new LockedName(session, sql, dialect, name, row);
        locked.readShares();
        return locked;
    }

    /** Locks the row, which is made if there is none. */
    static LockedName lock(Session session, LeaseSql sql, Dialect dialect, String name) throws SQLException {
        LeaseRow row = read(session, sql.lock, dialect, name);
        if (row == null) {
            PreparedStatement ensure = session.prepare(sql.ensureRow);
            dialect.setName(ensure, 1, name);
            ensure.executeUpdate();
            row = read(session, sql.lock, dialect, name);
            if (row == null) {
                throw new SQLException("The row of '" + name + "' was removed while it was being made.", "40001");
            }
        }
        LockedName locked = new LockedName(session, sql, dialect, name, row);
        locked.readShares();
        return locked;
    }

    static @Nullable LeaseRow read(Session session, String look, Dialect dialect, String name) throws SQLException {
        PreparedStatement statement = session.prepare(look);
        dialect.setName(statement, 1, name);
        try (ResultSet rows = statement.executeQuery()) {
            return rows.next() ? LeaseRow.of(rows) : null;
        }
    }

    /** Those that have ended are removed. If somebody has all of it, nobody shares it, whatever the table says. */
    private void readShares() throws SQLException {
        PreparedStatement statement = session.prepare(sql.shares);
        dialect.setName(statement, 1, name);
        Map<String, Share> dead = new LinkedHashMap<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                Share share = Share.of(rows);
                boolean runs = row.isShared() && share.endsAt() > row.now();
                (runs ? live : dead).put(share.claim(), share);
            }
        }
        for (String gone : dead.keySet()) {
            remove(gone);
        }
    }

    LeaseRow row() {
        return row;
    }

    long now() {
        return row.now();
    }

    Iterable<Share> shares() {
        return live.values();
    }

    @Nullable
    Share shareOf(ClaimId id) {
        return live.get(id.toString());
    }

    boolean isInUse() {
        return row.isHeldByOne() || !live.isEmpty();
    }

    int unitsInUse() {
        return live.values().stream().mapToInt(Share::units).sum();
    }

    /** How long until the first of those who share it is due to end, in microseconds. */
    long untilFirstEnd() {
        return live.values().stream().mapToLong(Share::endsAt).min().orElse(endsAt) - row.now();
    }

    /** Gives all of it, with the next tokens. */
    LeaseRow addAll(Claim wanted) {
        nextTokens(LeaseTable.tokens(wanted));
        capacity = wanted.capacity();
        claim = wanted.id().toString();
        grantedAt = row.now();
        endsAt = row.now() + LeaseTable.micros(wanted.lease());
        owner = WaitQueue.owner(wanted);
        withdraw(wanted.id());
        return LeaseRow.granted(wanted, firstToken, lastToken);
    }

    private void nextTokens(int tokens) {
        boolean ahead = lastToken >= row.now();
        firstToken = ahead ? lastToken + 1 : row.now();
        lastToken = ahead ? firstToken : firstToken + tokens - 1;
    }

    /** Gives a part of it, with the next tokens. */
    Share add(ClaimId id, int units, int ofCapacity, int tokens, long lease, String ofOwner) throws SQLException {
        nextTokens(tokens);
        Share share = new Share(id.toString(), units, firstToken, lastToken, row.now(), row.now() + lease, ofOwner);
        insert(share);
        capacity = ofCapacity;
        claim = null;
        grantedAt = row.now();
        withdraw(id);
        return share;
    }

    /** Who had all of it has a part from now on. */
    void shrink(int units, long end) throws SQLException {
        String owner = String.valueOf(row.owner());
        insert(new Share(String.valueOf(claim), units, firstToken, lastToken, grantedAt, end, owner));
        claim = null;
    }

    private void insert(Share share) throws SQLException {
        PreparedStatement statement = session.prepare(sql.addShare);
        dialect.setName(statement, 1, name);
        statement.setString(2, share.claim());
        statement.setInt(3, share.units());
        statement.setLong(4, share.firstToken());
        statement.setLong(5, share.lastToken());
        statement.setLong(6, share.grantedAt());
        statement.setLong(7, share.endsAt());
        statement.setString(8, share.owner());
        statement.executeUpdate();
        live.put(share.claim(), share);
    }

    void change(Share share) throws SQLException {
        PreparedStatement statement = session.prepare(sql.changeShare);
        statement.setInt(1, share.units());
        statement.setLong(2, share.endsAt());
        dialect.setName(statement, 3, name);
        statement.setString(4, share.claim());
        statement.executeUpdate();
        live.put(share.claim(), share);
    }

    void drop(String shareClaim) throws SQLException {
        remove(shareClaim);
        live.remove(shareClaim);
    }

    private void remove(String shareClaim) throws SQLException {
        PreparedStatement statement = session.prepare(sql.dropShare);
        dialect.setName(statement, 1, name);
        statement.setString(2, shareClaim);
        statement.executeUpdate();
    }

    /** Whoever has all of it has it for longer. */
    void lengthen(long end) {
        endsAt = Math.max(endsAt, end);
    }

    /** Whoever has all of it has nothing any more. */
    void free() {
        claim = null;
        endsAt = 0;
    }

    /** The claim does not wait any more. */
    void withdraw(ClaimId id) {
        if (id.toString().equals(nextClaim)) {
            nextClaim = null;
        }
        queue.remove(id);
    }

    WaitQueue queue() {
        return queue;
    }

    /** Requests of this claim that come later are refused. */
    void remember(ClaimId id) {
        StringBuilder kept = new StringBuilder();
        for (String entry : ended == null ? new String[0] : ended.split(";", -1)) {
            int at = entry.indexOf('@');
            if (at > 0 && Long.parseLong(entry, at + 1, entry.length(), 10) > row.now() - REMEMBERED_MICROS) {
                kept.append(entry).append(';');
            }
        }
        ended = kept.append(id).append('@').append(row.now()).append(';').toString();
        // The row must not be swept while it remembers.
        grantedAt = row.now();
    }

    /** Writes the row. */
    void write() throws SQLException {
        if (claim == null) {
            endsAt = live.values().stream().mapToLong(Share::endsAt).max().orElse(0);
        }
        PreparedStatement statement = session.prepare(sql.change);
        statement.setInt(1, capacity);
        statement.setString(2, claim);
        statement.setLong(3, firstToken);
        statement.setLong(4, lastToken);
        statement.setLong(5, grantedAt);
        statement.setLong(6, endsAt);
        statement.setString(7, owner);
        statement.setString(8, nextClaim);
        statement.setLong(9, nextUntil);
        statement.setString(10, ended);
        int last = 11;
        if (sql.tell != null) {
            statement.setString(last++, queue.toString());
        }
        dialect.setName(statement, last, name);
        statement.executeUpdate();
    }

    /** Writes the row. If the first in the queue can be served now, it is notified and has priority for a moment. */
    void writeAndNotify() throws SQLException {
        String first = queue.first();
        boolean room = sql.tell != null && queue.isRoomForFirst(claim == null ? unitsInUse() : capacity, capacity);
        if (room) {
            nextClaim = first;
            nextUntil = row.now() + Dialect.RESERVATION;
        }
        write();
        if (room && sql.tell != null) {
            PreparedStatement statement = session.prepare(sql.tell);
            statement.setString(1, Handover.turn(String.valueOf(first), name));
            statement.execute();
        }
    }
}
