package io.holdfast.redis;

import io.lettuce.core.cluster.SlotHash;

/** For every slot of a cluster a short text that is hashed to it, so that a channel can be put there. */
final class SlotTags {

    private static final String[] TAGS = new String[SlotHash.SLOT_COUNT];

    static {
        int missing = TAGS.length;
        for (int i = 0; missing > 0; i++) {
            String text = Integer.toString(i, Character.MAX_RADIX);
            int slot = SlotHash.getSlot(text);
            if (TAGS[slot] == null) {
                TAGS[slot] = text;
                missing--;
            }
        }
    }

    private SlotTags() {}

    static String of(int slot) {
        return TAGS[slot];
    }
}
