package io.holdfast.redis.internal.script;

import io.lettuce.core.ScriptOutputType;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A script that checks the mark of a lock first, and executes its body only if the token is not stale.
 *
 * <p>It is called with the data keys and the mark as KEYS, and with the body's own arguments, the token and two times as
 * ARGV. The check removes all but the data keys and the body's arguments, so the body finds only its own.
 *
 * @param text the whole script
 * @param output the type of the reply
 * @param mostArguments how many keys and arguments the body can have
 * @param discardsReply whether the caller gets null instead of the reply
 */
public record FenceScript(String text, ScriptOutputType output, int mostArguments, boolean discardsReply) {

    /** The error code of a stale token; the newest token follows. */
    static final String STALE = "HOLDFASTSTALE ";

    /** The error code of a token that is older than the retention, without a mark; the oldest accepted token follows. */
    static final String TOO_OLD = "HOLDFASTTOOOLD ";

    /** The error code if the key of the mark has another value. */
    static final String FOREIGN = "HOLDFASTFOREIGN ";

    /*
     * Safety: Redis runs one script at a time, so no other write comes between the check, the mark and the body. The mark
     * is the highest token that has written under the lock, to whichever key, and never decreases while it exists. So a
     * write of token t is executed only if no write of a token above t has been, to any key that the lock guards. A mark
     * for each data key would not be enough: the older token would be rejected only at the keys that the newer one has already
     * written, and could write all others.
     *
     * A mark expires KEEP after the last write, where KEEP is the retention and an allowance for the difference between
     * the clock of this server and the one that tokens come from. Without a mark a token is accepted only if it is
     * younger than the retention: a later holder has a larger token, so it would have written less than the retention
     * ago, and its mark would still exist.
     *
     * The mark is raised before the body runs, and scripts do not roll back. If the body then fails, the mark stays: it
     * rejects only tokens older than one that was granted, and their leases have ended. The other way round, a body
     * that fails half-way would have written under a mark that lets older tokens in. With the memory full, the mark is
     * the first thing that is refused, and nothing was written.
     *
     * Tokens are compared as numbers, which are exact below 2^53, and stored as the text that was sent.
     */
    private static final String GUARD = """
            local keep = table.remove(ARGV)
            local retention = tonumber(table.remove(ARGV))
            local token = table.remove(ARGV)
            local mark = table.remove(KEYS)
            local newest = redis.pcall('GET', mark)
            if type(newest) == 'table' then
              if string.find(newest.err, 'WRONGTYPE', 1, true) then return redis.error_reply('%3$smark') end
              return newest
            end
            if not newest then
              local time = redis.call('TIME')
              local oldest = time[1] * 1000000 + time[2] - retention
              if tonumber(token) < oldest then
                return redis.error_reply('%2$s' .. string.format('%%.0f', oldest))
              end
            elseif not string.find(newest, '^%%d+$') then
              return redis.error_reply('%3$smark')
            elseif tonumber(token) < tonumber(newest) then
              return redis.error_reply('%1$s' .. newest)
            end
            """.formatted(STALE, TOO_OLD, FOREIGN);

    private static final String RAISE_MARK = "redis.call('SET', mark, token, 'PX', keep)\n";

    /** Allowed when the memory is full, and after a script's first write the others are too: a deletion must be executed. */
    private static final String EVEN_IF_FULL = "redis.call('PEXPIRE', mark, keep)\n";

    private static final Set<String> COMMANDS_THAT_FREE_MEMORY = Set.of("DEL", "UNLINK", "HDEL", "SREM", "ZREM");

    /** A command is called with all arguments on Lua's stack, which has 8,000 places. */
    private static final int MOST_ARGUMENTS_OF_A_COMMAND = 7_000;

    /** Keys first, then arguments. */
    private static final String COMMAND = """
            local call = {'%s'}
            for i = 1, #KEYS do call[#call + 1] = KEYS[i] end
            for i = 1, #ARGV do call[#call + 1] = ARGV[i] end
            return redis.call(unpack(call))
            """;

    private static final Pattern COMMAND_NAME = Pattern.compile("[A-Za-z][A-Za-z0-9._]*");
    private static final Pattern LINE_END = Pattern.compile("\\s*\\n\\s*");

    /** Accepts replies of every type. */
    private static final ScriptOutputType DISCARDED = ScriptOutputType.MULTI;

    /** Only checks the token. */
    public static final FenceScript CHECK =
            new FenceScript(guarded(GUARD, ""), ScriptOutputType.VALUE, Integer.MAX_VALUE, true);

    /** A Redis command, with its keys before its arguments. */
    public static FenceScript ofCommand(String name) {
        if (!COMMAND_NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "name must be the name of a Redis command, such as SET: '" + name + "'. Use a script for others");
        }
        String upper = name.toUpperCase(Locale.ROOT);
        String guard =
                COMMANDS_THAT_FREE_MEMORY.contains(upper) ? GUARD + EVEN_IF_FULL + RAISE_MARK : GUARD + RAISE_MARK;
        return new FenceScript(
                guarded(guard, oneLine(COMMAND.formatted(upper))), DISCARDED, MOST_ARGUMENTS_OF_A_COMMAND, true);
    }

    /** A script of the application. */
    public static FenceScript ofScript(String lua) {
        if (lua.startsWith("#!")) {
            throw new IllegalArgumentException("script must not begin with #!, because the guard is put before it: "
                    + lua.lines().findFirst().orElse(""));
        }
        return new FenceScript(guarded(GUARD + RAISE_MARK, lua), DISCARDED, Integer.MAX_VALUE, true);
    }

    /** The same script with another type of reply. */
    public FenceScript returning(ScriptOutputType other) {
        return new FenceScript(text, other, mostArguments, false);
    }

    /** The guard is one line and its local variables end with it, so the body has its own names and its own line numbers. */
    private static String guarded(String guard, String body) {
        return "do " + oneLine(guard) + "end " + body;
    }

    private static String oneLine(String text) {
        return LINE_END.matcher(text).replaceAll(" ");
    }
}
