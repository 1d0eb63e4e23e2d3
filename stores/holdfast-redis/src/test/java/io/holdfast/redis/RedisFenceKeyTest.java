package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.redis.internal.script.LockKeys;
import io.lettuce.core.cluster.SlotHash;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisFenceKeyTest {

    private static final LockKeys KEYS = new LockKeys("holdfast");

    @Test
    void keyHasTheNameOfTheLockAsItsHashTag() {
        assertThat(RedisFence.key("apples", "stock")).isEqualTo("stock:{apples}");
        assertThat(RedisFence.key("{50%}", "stock")).isEqualTo("stock:{%7B50%25%7D}");
    }

    @Test
    void dataAndMarkAreInTheSlotOfTheLockAndBelongToNoOtherLock() {
        Random random = new Random(42);
        Set<String> names = new HashSet<>(Set.of("apples", "치킨", "치킨}", "\uD83C\uDF4E{", "%7B", "%257B", "{"));
        for (int i = 0; i < 2_000; i++) {
            StringBuilder name = new StringBuilder();
            for (int n = random.nextInt(6); n >= 0; n--) {
                name.append("{}%a7B".charAt(random.nextInt(6)));
            }
            names.add(name.toString());
        }
        Set<String> marks = new HashSet<>();
        Set<String> keys = new HashSet<>();
        for (String name : names) {
            int slot = SlotHash.getSlot(KEYS.key(name));
            assertThat(SlotHash.getSlot(KEYS.fence(name))).as(name).isEqualTo(slot);
            assertThat(SlotHash.getSlot(RedisFence.key(name, "a}b"))).as(name).isEqualTo(slot);
            assertThat(KEYS.isKey(KEYS.fence(name)))
                    .as("the mark of %s is confused with a lock", name)
                    .isFalse();
            assertThat(marks.add(KEYS.fence(name))).as("mark of %s", name).isTrue();
            assertThat(keys.add(RedisFence.key(name, "stock")))
                    .as("key of %s", name)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "a{b}"})
    void namesThatWouldHideTheHashTagAreRefused(String name) {
        assertThatThrownBy(() -> RedisFence.key("apples", name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("name must not be blank, nor contain '{': '" + name + "'");
    }
}
