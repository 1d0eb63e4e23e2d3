package io.holdfast.spi.support;

import io.holdfast.monitoring.Owner;

/** Owners as they stand in a store, readable there: {@code web-3 4711 orders guest%2042}. */
public final class OwnerFormat {

    private OwnerFormat() {}

    /** The owner as one text. */
    public static String of(Owner owner) {
        return escaped(owner.host())
                + ' '
                + owner.pid()
                + ' '
                + escaped(owner.application())
                + ' '
                + escaped(owner.label());
    }

    /** The owner that was written by {@link #of(Owner)}. */
    public static Owner parse(String text) {
        String[] parts = text.split(" ", -1);
        return new Owner(plain(parts[0]), Long.parseLong(parts[1]), plain(parts[2]), plain(parts[3]));
    }

    private static String escaped(String text) {
        return text.indexOf('%') < 0 && text.indexOf(' ') < 0
                ? text
                : text.replace("%", "%25").replace(" ", "%20");
    }

    private static String plain(String text) {
        return text.indexOf('%') < 0 ? text : text.replace("%20", " ").replace("%25", "%");
    }
}
