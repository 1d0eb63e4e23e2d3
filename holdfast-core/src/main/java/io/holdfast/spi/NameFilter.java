package io.holdfast.spi;

/**
 * Which names an inspection is about.
 *
 * @param text the exact name, or the start of the names
 * @param match how to read it
 * @param limit at most how many names to report
 */
public record NameFilter(String text, Match match, int limit) {

    /** How a filter's text is compared. */
    public enum Match {
        EXACT,
        PREFIX
    }

    /** The one name. */
    public static NameFilter exactly(String name) {
        return new NameFilter(name, Match.EXACT, 1);
    }

    /** At most {@code limit} names that start with {@code prefix}; the empty prefix matches all. */
    public static NameFilter startingWith(String prefix, int limit) {
        return new NameFilter(prefix, Match.PREFIX, limit);
    }

    /** Does {@code name} pass? */
    public boolean matches(String name) {
        return match == Match.EXACT ? name.equals(text) : name.startsWith(text);
    }
}
