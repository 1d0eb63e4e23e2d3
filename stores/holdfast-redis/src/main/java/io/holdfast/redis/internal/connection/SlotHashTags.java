package io.holdfast.redis.internal.connection;

import io.lettuce.core.cluster.SlotHash;

/** A short hash tag for every slot of a Cluster, so that a channel can be bound to the slot. */
final class SlotHashTags {

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

    private SlotHashTags() {}

    static String of(int slot) {
        return TAGS[slot];
    }
}
