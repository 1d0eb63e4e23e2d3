package io.holdfast.jdbc.internal.queue;

/**
 * SQL expressions over the column {@code queue} of PostgreSQL's lease table, with the lines that {@link WaitQueue} describes. The statement
 * provides the present time as {@code moment}, and what the claim requests as {@code wanted_…}. There are no subqueries: they would slow down
 * every statement, also where the wait queue is empty.
 */
public final class PostgresQueueSql {

    private static final String FIRST = "split_part(l.queue, E'\\n', 1)";

    /** The queue without the first entry. */
    public static final String REST = "substr(l.queue, length(" + FIRST + ") + 2)";

    /** Whether the first entry has not expired. The queue must not be empty. */
    public static final String IS_FIRST_LIVE =
            "(" + first(1) + "::bigint BETWEEN moment + 1 AND moment + " + WaitQueue.MAX_LIFETIME_MICROS + ")";

    private static final String CONTAINS = "strpos(l.queue, E'\\t' || wanted_claim || E'\\t') > 0";

    private static final String ENTRY =
            "concat_ws(E'\\t', moment + wait, wanted_claim, wanted_capacity, wanted_capacity,"
                    + " wanted_lease, wanted_tokens, wanted_owner, moment)";

    /** Whether the claim has to write an entry: it has none and there is room, or it has one that expires soon. */
    public static final String IS_ENTRY_NEEDED = "CASE WHEN " + CONTAINS
            + " THEN substring(l.queue FROM '([0-9]+)' || E'\\t' || wanted_claim || E'\\t')::bigint"
            + " NOT BETWEEN moment + wait / 2 AND moment + " + WaitQueue.MAX_LIFETIME_MICROS
            + " ELSE length(l.queue) - length(replace(l.queue, E'\\n', '')) < " + (WaitQueue.CAPACITY - 1) + " END";

    /** The queue with an entry of the claim: where it was, with another expiry, or at the end. */
    public static final String WITH_CLAIM =
            "CASE WHEN " + CONTAINS + " THEN " + refreshed("wanted_claim", "moment + wait")
                    + " ELSE ltrim(l.queue || E'\\n' || " + ENTRY + ", E'\\n') END";

    /** The queue without the claim. */
    public static final String WITHOUT_CLAIM = "CASE WHEN " + CONTAINS
            + " THEN ltrim(regexp_replace(l.queue, '(^|' || E'\\n' || ')[0-9]+' || E'\\t' || wanted_claim"
            + " || E'\\t[^\\n]*', ''), E'\\n') ELSE l.queue END";

    private PostgresQueueSql() {}

    /** A field of the first entry. */
    public static String first(int field) {
        return "split_part(" + FIRST + ", E'\\t', " + field + ")";
    }

    /** The queue with another expiry for some claims. */
    public static String refreshed(String claims, String expiry) {
        return "regexp_replace(l.queue, '[0-9]+(' || E'\\t' || '(' || " + claims + " || ')' || E'\\t' || ')', ("
                + expiry + ")::text || '\\1', 'g')";
    }
}
