package io.holdfast.jdbc;

import org.jspecify.annotations.Nullable;

/** Names a class loader in messages. */
final class LoaderText {

    private static final int LONGEST = 160;

    private LoaderText() {}

    /** On one line: that of a servlet container says in several which application it belongs to. */
    static String of(@Nullable ClassLoader loader) {
        String text = (loader == null ? "the boot class loader" : loader.toString())
                .replaceAll("\\s+", " ")
                .strip();
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }
}
