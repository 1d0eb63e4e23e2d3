package io.holdfast.redis;

import java.util.function.ToIntFunction;

/** Where a fence keeps its mark for a data key: a key of its own in the same slot. */
final class FenceMark {

    /*
     * A mark is PREFIX{tag}key. The slot of a key is that of its hash tag: what stands between its first opening brace
     * and the next closing one, if that is not empty; else it is that of the whole key. So the mark's tag is the data
     * key's own tag, or the whole data key. A key without a tag that has a closing brace in it, such as "}{" or "{}x",
     * cannot stand inside braces; then the tag is the first number that has the right slot, and numbers reach them all.
     * No tag has a closing brace, so what follows the first one is the data key: no two data keys have the same mark.
     */
    private static final String PREFIX = "holdfast:fence:";

    private FenceMark() {}

    /** The mark of {@code key}; {@code slot} tells the slot of a key as it is sent. */
    static String of(String key, ToIntFunction<String> slot) {
        int wanted = slot.applyAsInt(key);
        String tag = tag(key);
        String mark = tag.indexOf('}') < 0 ? mark(tag, key) : mark("0", key);
        for (int number = 0; slot.applyAsInt(mark) != wanted; number++) {
            mark = mark(Integer.toString(number), key);
        }
        return mark;
    }

    private static String tag(String key) {
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open);
        return close > open + 1 ? key.substring(open + 1, close) : key;
    }

    private static String mark(String tag, String key) {
        return PREFIX + '{' + tag + '}' + key;
    }
}
