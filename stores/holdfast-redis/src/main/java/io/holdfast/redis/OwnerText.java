package io.holdfast.redis;

import io.holdfast.Owner;

/** Owners as they stand in the server, readable there: {@code web-3 4711 orders guest%2042}. */
final class OwnerText {

    private OwnerText() {}

    static String of(Owner owner) {
        return escaped(owner.host())
                + ' '
                + owner.pid()
                + ' '
                + escaped(owner.application())
                + ' '
                + escaped(owner.label());
    }

    static Owner parse(String text) {
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
