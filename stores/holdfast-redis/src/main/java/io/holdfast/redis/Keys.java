package io.holdfast.redis;

/**
 * From names to keys and back: {@code holdfast:{hotel:42}}. The name is the hash tag, so a user's own keys can be put into
 * the slot of their lock.
 */
final class Keys {

    private final String prefix;

    Keys(String prefix) {
        this.prefix = prefix;
    }

    /** Braces are escaped: a name that begins with a closing one would leave the tag empty. */
    String key(String name) {
        return prefix + ":{" + escaped(name) + "}";
    }

    /** Where a fence keeps the newest token of a name: in the name's slot. */
    String fence(String name) {
        return prefix + ":fence:{" + escaped(name) + "}";
    }

    /** A user's own key in the slot of a name. The first opening brace begins the hash tag, so {@code start} has none. */
    static String beside(String name, String start) {
        return start + ":{" + escaped(name) + "}";
    }

    /** The name behind a key of ours. */
    String name(String key) {
        String escaped = key.substring(prefix.length() + 2, key.length() - 1);
        if (escaped.indexOf('%') < 0) {
            return escaped;
        }
        return escaped.replace("%7B", "{").replace("%7D", "}").replace("%25", "%");
    }

    /** Is it the key of a name? There are channels and fences beside. */
    boolean isKey(String key) {
        return key.startsWith(prefix + ":{") && key.endsWith("}");
    }

    /** What {@code SCAN} finds the keys by whose names begin so. */
    String pattern(String start) {
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
