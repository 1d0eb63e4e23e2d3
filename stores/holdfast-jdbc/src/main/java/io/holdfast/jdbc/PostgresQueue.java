package io.holdfast.jdbc;

/** SQL over the column {@code queue} of PostgreSQL's lease table, an array of the entries that {@link WaitQueue} describes. */
final class PostgresQueue {

    static final String TAB = "E'\\t'";

    private PostgresQueue() {}

    private static String field(int number) {
        return "split_part(e, " + TAB + ", " + number + ")";
    }

    /** Whether an entry {@code e} counts. */
    private static String isLive(String moment) {
        return field(1) + "::bigint > " + moment + " AND " + field(1) + "::bigint <= " + moment + " + "
                + WaitQueue.LONGEST_MICROS;
    }

    private static String contains(String claim) {
        return "EXISTS (SELECT 1 FROM unnest(l.queue) AS u(e) WHERE " + field(2) + " = " + claim + ")";
    }

    /** Whether the claim has to write an entry: it has none, or one that expires soon. */
    static String isPlaceNeeded(String claim, String moment, String lifetime) {
        return "NOT EXISTS (SELECT 1 FROM unnest(l.queue) AS u(e) WHERE " + field(2) + " = " + claim + " AND "
                + isLive(moment) + " AND " + field(1) + "::bigint > " + moment + " + " + lifetime + " / 2)"
                + " AND (cardinality(l.queue) < " + WaitQueue.CAPACITY + " OR " + contains(claim)
                + " OR EXISTS (SELECT 1 FROM unnest(l.queue) AS u(e) WHERE NOT (" + isLive(moment) + ")))";
    }

    /** The queue with an entry of the claim: where it was, or at the end. Expired entries are removed. */
    static String with(String claim, String entry, String moment) {
        return "ARRAY(SELECT CASE WHEN " + field(2) + " = " + claim + " THEN " + entry
                + " ELSE e END FROM unnest(l.queue) WITH ORDINALITY AS u(e, i) WHERE " + field(2) + " = " + claim
                + " OR (" + isLive(moment) + ") ORDER BY i) || CASE WHEN " + contains(claim)
                + " THEN ARRAY[]::text[] ELSE ARRAY[" + entry + "] END";
    }

    /** The queue without the claim. */
    static String without(String claim) {
        return "ARRAY(SELECT e FROM unnest(l.queue) WITH ORDINALITY AS u(e, i) WHERE " + field(2) + " <> " + claim
                + " ORDER BY i)";
    }

    static String entry(
            String expiry, String claim, String units, String capacity, String lease, String tokens, String owner) {
        return "concat_ws(" + TAB + ", " + expiry + ", " + claim + ", " + units + ", " + capacity + ", " + lease + ", "
                + tokens + ", " + owner + ")";
    }

    /** The first entry that counts, in columns of their own; no row if there is none. */
    static String head(String moment) {
        return "SELECT i, " + field(2) + " AS claim, " + field(3) + "::integer AS units, " + field(4)
                + "::integer AS capacity, " + field(5) + "::bigint AS lease, " + field(6) + "::bigint AS tokens, "
                + field(7) + " AS owner FROM unnest(l.queue) WITH ORDINALITY AS u(e, i) WHERE " + isLive(moment)
                + " ORDER BY i LIMIT 1";
    }

    /** The entries after one of that position. */
    static String after(String position) {
        return "ARRAY(SELECT e FROM unnest(l.queue) WITH ORDINALITY AS u(e, i) WHERE i > " + position + " ORDER BY i)";
    }

    /** The queue with later expiries for some claims. */
    static String refreshed(String expiry, String claims) {
        return "ARRAY(SELECT CASE WHEN " + field(2) + " IN " + claims + " THEN " + expiry
                + " || substr(e, strpos(e, " + TAB + ")) ELSE e END"
                + " FROM unnest(l.queue) WITH ORDINALITY AS u(e, i) ORDER BY i)";
    }
}
