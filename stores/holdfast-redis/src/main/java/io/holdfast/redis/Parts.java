package io.holdfast.redis;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a URL behind its scheme, as they are written. {@link java.net.URI} does not take several hosts.
 *
 * @param credentials with the {@code @}, or empty
 * @param hosts with ports and commas
 * @param path with the slash, or empty
 * @param query with the question mark and without what is ours alone, or empty
 * @param fragment with the hash sign, or empty
 * @param options all of {@code name=value}
 */
record Parts(String credentials, String hosts, String path, String query, String fragment, List<String> options) {

    private static final String OURS = "keyPrefix=";

    static Parts of(String rest) {
        String text = rest;
        int hash = text.indexOf('#');
        String fragment = hash < 0 ? "" : text.substring(hash);
        text = hash < 0 ? text : text.substring(0, hash);
        int mark = text.indexOf('?');
        List<String> options =
                mark < 0 ? List.of() : List.of(text.substring(mark + 1).split("&", -1));
        text = mark < 0 ? text : text.substring(0, mark);
        int at = text.lastIndexOf('@');
        String credentials = text.substring(0, at + 1);
        text = text.substring(at + 1);
        int slash = text.indexOf('/');
        String path = slash < 0 ? "" : text.substring(slash);
        List<String> others = new ArrayList<>(options);
        others.removeIf(option -> option.startsWith(OURS));
        return new Parts(
                credentials,
                slash < 0 ? text : text.substring(0, slash),
                path.equals("/") ? "" : path,
                others.isEmpty() ? "" : "?" + String.join("&", others),
                fragment,
                options);
    }

    @Nullable
    String option(String name) {
        return options.stream()
                .filter(option -> option.startsWith(name + "="))
                .map(option -> option.substring(name.length() + 1))
                .findFirst()
                .orElse(null);
    }

    /** {@code message} without the credentials, should it repeat them. */
    String redacted(String message) {
        return credentials.isEmpty() ? message : message.replace(credentials, "***@");
    }

    @Override
    public String toString() {
        return "Parts[" + hosts + path + "]";
    }
}
