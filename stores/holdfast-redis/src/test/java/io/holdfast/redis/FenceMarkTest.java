package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FenceMarkTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "room:42", "a{b}c", "{a}", "{a}{b}", "{}", "{}x", "x{}", "{}{a}", "}{", "}", "{", "a{b", "a}b", "}a{b}",
                        "{{a}}",
                "{a{b}", "{a}}", "{a", "{{", "{{}", "}}", "{}}", "0", "{0}", "0}", "치킨{}", "치킨}", "{치킨}", " ",
                        "\uD83C\uDF4E}"
            })
    void isInTheSlotOfItsKey(String key) {
        assertThat(SlotHash.getSlot(mark(key))).isEqualTo(SlotHash.getSlot(key));
    }

    @Test
    void isInTheSlotOfItsKeyAndBelongsToNoOther() {
        Random random = new Random(42);
        Set<String> keys = new HashSet<>();
        Set<String> marks = new HashSet<>();
        for (int i = 0; i < 2_000; i++) {
            StringBuilder key = new StringBuilder();
            for (int n = random.nextInt(6); n >= 0; n--) {
                key.append("{}a0:".charAt(random.nextInt(5)));
            }
            keys.add(key.toString());
        }
        for (String key : keys) {
            String mark = mark(key);
            assertThat(SlotHash.getSlot(mark)).as(key).isEqualTo(SlotHash.getSlot(key));
            assertThat(marks.add(mark)).as("mark of %s is its own", key).isTrue();
        }
    }

    @Test
    void isInTheSlotOfItsKeyAlsoIfEveryKeyIsSentWithAPrefix() {
        for (String prefix : List.of("app:", "{app}:", "app{")) {
            for (String key : List.of("room:42", "a{b}c", "}{")) {
                String mark = FenceMark.of(key, each -> SlotHash.getSlot(prefix + each));

                assertThat(SlotHash.getSlot(prefix + mark)).isEqualTo(SlotHash.getSlot(prefix + key));
            }
        }
    }

    private static String mark(String key) {
        return FenceMark.of(key, SlotHash::getSlot);
    }
}
