package io.holdfast.internal.handle;

import java.nio.charset.StandardCharsets;

/** Which strings are lock names. They are never changed, only accepted or refused. */
final class LockNames {

    /** In UTF-8; short enough for a key column on every database. */
    static final int LONGEST = 512;

    private LockNames() {}

    static String check(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A lock name must not be blank: '" + name + "'");
        }
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (Character.isISOControl(c)) {
                throw new IllegalArgumentException(String.format(
                        "A lock name must not contain control characters: U+%04X at index %d", (int) c, i));
            }
            if (Character.isSurrogate(c)) {
                if (!Character.isHighSurrogate(c)
                        || i + 1 == name.length()
                        || !Character.isLowSurrogate(name.charAt(i + 1))) {
                    throw new IllegalArgumentException(String.format(
                            "A lock name must be valid Unicode: lone surrogate U+%04X at index %d", (int) c, i));
                }
                i++;
            }
        }
        // Three bytes per char is the most UTF-8 needs, so short names are not encoded to be measured.
        if (name.length() * 3 > LONGEST) {
            int bytes = name.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > LONGEST) {
                throw new IllegalArgumentException("A lock name must have at most " + LONGEST + " bytes in UTF-8: "
                        + bytes + " bytes, starting with '" + name.substring(0, 40) + "'");
            }
        }
        return name;
    }
}
