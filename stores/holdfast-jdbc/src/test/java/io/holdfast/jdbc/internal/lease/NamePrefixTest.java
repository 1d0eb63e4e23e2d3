package io.holdfast.jdbc.internal.lease;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamePrefixTest {

    @ParameterizedTest
    @ValueSource(strings = {"order:", "o", "ä", "\uD7FF", "a\uFFFF", "b\uD83D\uDE00", "c\uDBFF\uDFFF"})
    void rangeHasAllThatBeginWithThePrefix(String prefix) {
        String end = requireNonNull(NamePrefix.after(prefix));

        for (String suffix : new String[] {"", "0", "zzz", "\uFFFF", "\uDBFF\uDFFF", "\uDBFF\uDFFF\uDBFF\uDFFF"}) {
            assertThat(compare(prefix + suffix, end)).isNegative();
        }
        assertThat(compare(prefix.substring(0, prefix.offsetByCodePoints(prefix.length(), -1)), end))
                .isNegative();
    }

    @Test
    void rangeOfTheLastCodePointEndsAfterThePartBefore() {
        assertThat(NamePrefix.after("c\uDBFF\uDFFF")).isEqualTo("d");
    }

    @Test
    void rangeOfEverythingHasNoEnd() {
        assertThat(NamePrefix.after("")).isNull();
        assertThat(NamePrefix.after("\uDBFF\uDFFF")).isNull();
    }

    private static int compare(String one, String other) {
        return Arrays.compareUnsigned(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}
