package io.holdfast.redis.internal.script;

/**
 * Converts lock names to Redis keys and back: {@code holdfast:{hotel:42}}. The name is the hash tag, so keys of the application can be
 * put into the slot of their lock.
 */
public final class LockKeys {

    private final String prefix;

    public LockKeys(String prefix) {
        this.prefix = prefix;
    }

    /** The key of a lock. Braces are escaped: a name that begins with a closing one would leave the hash tag empty. */
    public String key(String name) {
        return prefix + ":{" + escaped(name) + "}";
    }

    /** The key of a fence's newest token for a lock, in the lock's slot. */
    public String fence(String name) {
        return prefix + ":fence:{" + escaped(name) + "}";
    }

    /** A data key in the slot of a lock. The first opening brace begins the hash tag, so {@code start} must not have one. */
    public static String dataKey(String name, String start) {
        return start + ":{" + escaped(name) + "}";
    }

    /** The name of the lock with that key. */
    public String name(String key) {
        String escaped = key.substring(prefix.length() + 2, key.length() - 1);
        if (escaped.indexOf('%') < 0) {
            return escaped;
        }
        return escaped.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
    }

    /** Whether it is the key of a lock. Channels and fences begin with the prefix, too. */
    public boolean isKey(String key) {
        return key.startsWith(prefix + ":{") && key.endsWith("}");
    }

    /** A pattern for {@code SCAN} that matches the keys of all names which begin with {@code start}. */
    public String pattern(String start) {
        StringBuilder pattern = new StringBuilder();
        for (char c : (prefix + ":{" + escaped(start)).toCharArray()) {
            if ("*?[]\\^".indexOf(c) >= 0) {
                pattern.append('\\');
            }
            pattern.append(c);
        }
        return pattern.append('*').toString();
    }

    private static String escaped(String name) {
        if (name.indexOf('{') < 0 && name.indexOf('}') < 0 && name.indexOf('%') < 0) {
            return name;
        }
        return name.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
    }
}
