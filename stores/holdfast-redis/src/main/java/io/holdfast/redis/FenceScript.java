package io.holdfast.redis;

import io.lettuce.core.ScriptOutputType;
import java.util.regex.Pattern;

/**
 * A script that checks the mark of a lock first, and executes its body only if the token is not stale.
 *
 * <p>It is called with the data keys and the mark as KEYS, and with the body's own arguments, the token and two times as
 * ARGV. The check removes all but the data keys and the body's arguments, so the body finds its own and no more.
 *
 * @param text what is sent
 * @param output what the body returns
 */
record FenceScript(String text, ScriptOutputType output) {

    /** What the error of a stale token begins with; the newest token follows. */
    static final String STALE = "HOLDFASTSTALE ";

    /** What the error of a token that is too old to be judged begins with; the oldest that could be follows. */
    static final String TOO_OLD = "HOLDFASTTOOOLD ";

    /** What the error begins with if something else is where the mark should be. */
    static final String FOREIGN = "HOLDFASTFOREIGN ";

    /*
     * Safety: Redis runs one script at a time, so no other write comes between the check, the mark and the body. The mark
     * is the highest token that has written under the lock, to whichever key, and never decreases while it exists. So a
     * write of token t is executed only if no write of a token above t has been, to any key that the lock guards. A mark
     * for each data key would not do: the older token would be rejected only at the keys that the newer one has already
     * written, and could write all others.
     *
     * A mark expires KEEP after the last write, where KEEP is the retention and an allowance for the difference between
     * the clock of this server and the one that tokens come from. Without a mark a token is accepted only if it is
     * younger than the retention: a later holder has a larger token, so it would have written less than the retention
     * ago, and its mark would still exist.
     *
     * The mark is raised before the body runs, and scripts do not roll back. If the body then fails, the mark stays: it
     * rejects only tokens older than one that was granted, and their leases are over. The other way round, a body
     * that fails half-way would have written under a mark that lets older tokens in. With the memory full, the mark is
     * the first thing that is refused, and nothing was written.
     *
     * Tokens are compared as numbers, which are exact below 2^53, and stored as the text that came in.
     */
    private static final String CHECK = """
            local keep = table.remove(ARGV)
            local retention = tonumber(table.remove(ARGV))
            local token = table.remove(ARGV)
            local mark = table.remove(KEYS)
            local newest = redis.pcall('GET', mark)
            if type(newest) == 'table' then
              if string.find(newest.err, 'WRONGTYPE', 1, true) then return redis.error_reply('HOLDFASTFOREIGN mark') end
              return newest
            end
            if not newest then
              local time = redis.call('TIME')
              local oldest = time[1] * 1000000 + time[2] - retention
              if tonumber(token) < oldest then
                return redis.error_reply('HOLDFASTTOOOLD ' .. string.format('%.0f', oldest))
              end
            elseif not string.find(newest, '^%d+$') then
              return redis.error_reply('HOLDFASTFOREIGN mark')
            elseif tonumber(token) < tonumber(newest) then
              return redis.error_reply('HOLDFASTSTALE ' .. newest)
            end
            """;

    private static final String RAISE = "redis.call('SET', mark, token, 'PX', keep)\n";

    /** Allowed when the memory is full, and after a script's first write the others are too: a deletion must get through. */
    private static final String EVEN_IF_FULL = "redis.call('PEXPIRE', mark, keep)\n";

    private static final Pattern LINE_END = Pattern.compile("\\s*\\n\\s*");

    static final FenceScript CHECK_ONLY = guarded(CHECK, "", ScriptOutputType.VALUE);

    static final FenceScript SET =
            guarded(CHECK + RAISE, "return redis.call('SET', KEYS[1], ARGV[1])", ScriptOutputType.STATUS);

    /** Field by field, because a call in a script has a limited number of arguments. */
    static final FenceScript HSET = guarded(
            CHECK + RAISE,
            "for i = 1, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end",
            ScriptOutputType.VALUE);

    static final FenceScript DEL =
            guarded(CHECK + EVEN_IF_FULL + RAISE, "return redis.call('DEL', KEYS[1])", ScriptOutputType.BOOLEAN);

    /** Guards a body that somebody else has written. */
    static FenceScript of(String body, ScriptOutputType output) {
        return guarded(CHECK + RAISE, body, output);
    }

    /** The guard is one line and its names end with it, so the body has its own names and its own line numbers. */
    private static FenceScript guarded(String guard, String body, ScriptOutputType output) {
        return new FenceScript("do " + LINE_END.matcher(guard).replaceAll(" ") + "end " + body, output);
    }
}
