package io.holdfast.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.holdfast.redis.RedisStore;
import io.holdfast.redis.RedisStoreBuilder;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreSettingsTest {

    private static final RedisStoreBuilder BUILDER = RedisStore.at("redis://localhost");

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a{b", "a}b", "a\nb", "ä", "\u007f"})
    void prefixThatWouldBreakKeysIsRefused(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BUILDER.keyPrefix(prefix))
                .withMessageContainingAll("keyPrefix", "1 to 100", "braces", "'" + prefix + "'");
    }

    @Test
    void prefixHasAtMostAHundredCharacters() {
        assertThat(StoreSettings.DEFAULTS.withKeyPrefix("x".repeat(100)).keyPrefix())
                .hasSize(100);
        assertThatIllegalArgumentException().isThrownBy(() -> BUILDER.keyPrefix("x".repeat(101)));
    }

    @Test
    void retentionIsBounded() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BUILDER.retention(Duration.ofMinutes(9)))
                .withMessage("retention must be between PT10M and PT720H: PT9M");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BUILDER.retention(Duration.ofDays(31)))
                .withMessageContaining("PT744H");
    }

    @Test
    void timeoutIsBounded() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BUILDER.timeout(Duration.ZERO))
                .withMessage("timeout must be between PT0.05S and PT30S: PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BUILDER.timeout(Duration.ofSeconds(31)))
                .withMessageContaining("PT31S");
        assertThatIllegalArgumentException().isThrownBy(() -> BUILDER.timeout(Duration.ofSeconds(-1)));
    }

    @Test
    void replicasAreBounded() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BUILDER.replicas(-1, Duration.ofSeconds(1)))
                .withMessage("replicas must be between 0 and 20: -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BUILDER.replicas(21, Duration.ofSeconds(1)))
                .withMessageContaining("21");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BUILDER.replicas(1, Duration.ZERO))
                .withMessage("replica timeout must be between PT0.001S and PT30S: PT0S");
    }
}
