package io.holdfast.jdbc.internal;

import org.jspecify.annotations.Nullable;

/** The name of a class loader, for messages. */
public final class ClassLoaderName {

    private static final int MAX_LENGTH = 160;

    private ClassLoaderName() {}

    /** On one line: the text of a servlet container's class loader has several, and says which application it belongs to. */
    public static String of(@Nullable ClassLoader loader) {
        String text = (loader == null ? "the boot class loader" : loader.toString())
                .replaceAll("\\s+", " ")
                .strip();
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
    }
}
