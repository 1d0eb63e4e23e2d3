package io.holdfast.jdbc.internal.lease;

import org.jspecify.annotations.Nullable;

/** Prefixes of names as ranges, in the order of code points, which is that of bytes in UTF-8 and of every index on names. */
final class NamePrefix {

    private NamePrefix() {}

    /** The first text after all that begin with the prefix; null if there is none. */
    static @Nullable String after(String prefix) {
        int end = prefix.length();
        while (end > 0) {
            int last = prefix.codePointBefore(end);
            end -= Character.charCount(last);
            if (last < Character.MAX_CODE_POINT) {
                // Surrogates are no characters.
                int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
                return prefix.substring(0, end) + Character.toString(next);
            }
        }
        return null;
    }
}
