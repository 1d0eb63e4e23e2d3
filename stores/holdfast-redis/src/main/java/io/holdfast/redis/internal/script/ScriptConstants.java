package io.holdfast.redis.internal.script;

import io.holdfast.redis.internal.connection.WakeupChannels;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Values that the Lua scripts and their Java callers share. They are defined here only: {@link Script} declares those that a script
 * mentions as local variables at the beginning of the script.
 */
public final class ScriptConstants {

    /** The version of the key layout, in the field {@code layout}. Keys with another one are left alone. */
    public static final String LAYOUT = "2";

    /** Acquire: one attempt. */
    public static final String MODE_TRY = "T";
    /** Acquire: the claim is put into the wait queue if it does not fit. */
    public static final String MODE_WAIT = "W";

    /** Release: all requests of the claim were answered, so no tombstone is needed. */
    public static final String RELEASE_ANSWERED = "0";
    /** Release: a request of the claim may still arrive, so a tombstone is left. */
    public static final String RELEASE_UNCERTAIN = "1";
    /** Release: only if the claim was granted by a message and has not confirmed it. */
    public static final String RELEASE_UNCONFIRMED = "p";

    /** How often the first two claims of a queue poll, in microseconds; the others at a multiple of it. */
    public static final long POLL_INTERVAL = TimeUnit.SECONDS.toMicros(1);
    /** The largest multiple. */
    public static final long LONGEST_POLL = 30;

    /** {@code ARGV} of the renew script for each key: claim, units, lease. */
    static final int ARGUMENTS_PER_RENEWAL = 3;

    private ScriptConstants() {}

    /** By name, as Lua literals. */
    static Map<String, String> literals() {
        Map<String, String> literals = new LinkedHashMap<>();
        literals.put("LAYOUT", quoted(LAYOUT));
        literals.put("MODE_TRY", quoted(MODE_TRY));
        literals.put("RELEASE_ANSWERED", quoted(RELEASE_ANSWERED));
        literals.put("RELEASE_UNCERTAIN", quoted(RELEASE_UNCERTAIN));
        literals.put("RELEASE_UNCONFIRMED", quoted(RELEASE_UNCONFIRMED));
        literals.put("SHARDED_CHANNEL", quoted(WakeupChannels.SHARDED));
        literals.put("POLL_INTERVAL", String.valueOf(POLL_INTERVAL));
        literals.put("LONGEST_POLL", String.valueOf(LONGEST_POLL));
        literals.put("ARGUMENTS_PER_RENEWAL", String.valueOf(ARGUMENTS_PER_RENEWAL));
        for (ReplyCode code : ReplyCode.values()) {
            literals.put(code.luaName(), String.valueOf(code.code()));
        }
        return literals;
    }

    /** One statement that declares the constants which the script mentions. Unused ones would cost a little in each call. */
    static String declarationFor(String script) {
        StringBuilder names = new StringBuilder();
        StringBuilder values = new StringBuilder();
        literals().forEach((name, value) -> {
            if (Pattern.compile("\\b" + name + "\\b").matcher(script).find()) {
                names.append(names.length() == 0 ? "" : ", ").append(name);
                values.append(values.length() == 0 ? "" : ", ").append(value);
            }
        });
        return names.length() == 0 ? "" : "local " + names + " = " + values + "\n";
    }

    private static String quoted(String text) {
        return "'" + text + "'";
    }
}
