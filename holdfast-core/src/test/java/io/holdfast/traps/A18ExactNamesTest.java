package io.holdfast.traps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.monitoring.LockInfo;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A typed key that does not survive its own round trip. */
class A18ExactNamesTest {

    /** A key with a type in front, taken apart again by position. */
    private record NaiveKey(String type, String id) {
        private static final int TYPE_LENGTH = 5;

        String text() {
            return type + id;
        }

        static NaiveKey parse(String text) {
            return new NaiveKey(text.substring(0, TYPE_LENGTH), text.substring(TYPE_LENGTH));
        }
    }

    @Test
    void naiveKeysCollideAndDoNotComeBack() {
        NaiveKey hotel = new NaiveKey("hotel", "s:42");
        NaiveKey hotels = new NaiveKey("hotels", ":42");

        assertThat(hotel.text()).as("two things, one lock").isEqualTo(hotels.text());
        assertThat(NaiveKey.parse(hotels.text())).isNotEqualTo(hotels);
    }

    @Test
    void namesAreTakenAsTheyAreAndNeverCollide() {
        List<String> names = List.of(
                "hotel:42",
                "hotels:42",
                "hotel:4",
                "hotel:42 ",
                "Hotel:42",
                "치킨",
                "é",
                "e\u0301",
                "\uD83C\uDF4E",
                "{}");
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            List<Lease> leases = new ArrayList<>();
            for (String name : names) {
                leases.add(holdfast.lock(name).tryAcquire().orElseThrow());
            }

            assertThat(leases).extracting(Lease::name).containsExactlyElementsOf(names);
            assertThat(holdfast.inspect("", 100)).extracting(LockInfo::name).containsExactlyInAnyOrderElementsOf(names);
            leases.forEach(Lease::close);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    ''        | blank
                    ' \t '    | blank
                    'a\u0000' | U+0000 at index 1
                    'a\u007f' | U+007F at index 1
                    """)
    void whatNoStoreCouldKeepIsRefused(String name, String reason) {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            assertThatThrownBy(() -> holdfast.lock(name))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(reason);
        }
    }

    @Test
    void longAndHalfNamesAreRefused() {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            assertThat(holdfast.lock("x".repeat(512)).name()).hasSize(512);
            assertThatThrownBy(() -> holdfast.lock("치".repeat(171)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at most 512 bytes")
                    .hasMessageContaining("513 bytes");
            assertThatThrownBy(() -> holdfast.lock("a\uD83C"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("lone surrogate U+D83C at index 1");
        }
    }
}
