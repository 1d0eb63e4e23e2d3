package io.holdfast.jdbc;

/**
 * SQL over the column {@code queue} of PostgreSQL's lease table, with the lines that {@link WaitQueue} describes. No subqueries: they would
 * cost every statement, also where the queue is empty.
 */
final class PostgresQueue {

    static final String TAB = "E'\\t'";
    private static final String NEW_LINE = "E'\\n'";
    private static final String FIRST = "split_part(l.queue, " + NEW_LINE + ", 1)";
    private static final String SECOND = "split_part(l.queue, " + NEW_LINE + ", 2)";

    private PostgresQueue() {}

    /** A field of the first entry. */
    static String first(int field) {
        return "split_part(" + FIRST + ", " + TAB + ", " + field + ")";
    }

    /** The queue without the first entry. */
    static String rest() {
        return "substr(l.queue, length(" + FIRST + ") + 2)";
    }

    /** Whether the first entry counts. The queue must not be empty. */
    static String isFirstLive(String moment) {
        return "(" + first(1) + "::bigint BETWEEN " + moment + " + 1 AND " + moment + " + " + WaitQueue.LONGEST_MICROS
                + ")";
    }

    /** The claim of the second entry; null if there is none. */
    static String secondClaim() {
        return "nullif(split_part(" + SECOND + ", " + TAB + ", 2), '')";
    }

    private static String contains(String claim) {
        return "strpos(l.queue, " + TAB + " || " + claim + " || " + TAB + ") > 0";
    }

    /** Whether the claim has to write an entry: it has none and there is room, or it has one that expires soon. */
    static String isPlaceNeeded(String claim, String moment, String lifetime) {
        return "CASE WHEN " + contains(claim) + " THEN substring(l.queue FROM '([0-9]+)' || " + TAB + " || " + claim
                + " || " + TAB + ")::bigint NOT BETWEEN " + moment + " + " + lifetime + " / 2 AND " + moment + " + "
                + WaitQueue.LONGEST_MICROS + " ELSE length(l.queue) - length(replace(l.queue, " + NEW_LINE
                + ", '')) < " + (WaitQueue.CAPACITY - 1) + " END";
    }

    /** The queue with an entry of the claim: where it was, with another expiry, or at the end. */
    static String with(String claim, String expiry, String entry) {
        return "CASE WHEN " + contains(claim) + " THEN " + refreshed(claim, expiry) + " WHEN l.queue = '' THEN " + entry
                + " ELSE l.queue || " + NEW_LINE + " || " + entry + " END";
    }

    /** The queue without the claim. */
    static String without(String claim) {
        return "CASE WHEN " + contains(claim) + " THEN ltrim(regexp_replace(l.queue, '(^|' || " + NEW_LINE
                + " || ')[0-9]+' || " + TAB + " || " + claim + " || E'\\t[^\\n]*', ''), " + NEW_LINE
                + ") ELSE l.queue END";
    }

    static String entry(
            String expiry, String claim, String units, String capacity, String lease, String tokens, String owner) {
        return "concat_ws(" + TAB + ", " + expiry + ", " + claim + ", " + units + ", " + capacity + ", " + lease + ", "
                + tokens + ", " + owner + ")";
    }

    /** The queue with another expiry for some claims. */
    static String refreshed(String claims, String expiry) {
        return "regexp_replace(l.queue, '[0-9]+(' || " + TAB + " || '(' || " + claims + " || ')' || " + TAB
                + " || ')', (" + expiry + ")::text || '\\1', 'g')";
    }
}
