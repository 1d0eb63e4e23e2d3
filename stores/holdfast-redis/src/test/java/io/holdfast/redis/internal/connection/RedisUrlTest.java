package io.holdfast.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.testkit.LogLines;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisUrlTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://app:s3cret@host:port",
                "redis://app:s3cret@",
                "redis://app:s3cret",
                "redis://:s3cret@/1",
                "redis://app:s3cret@host/one",
                "redis://app:s3cret@host:99999",
                "redis://app:s3cret@host?nonsense=1",
                "redis://app:s3cret@host?timeout=1h",
                "redis://app:s3cret@host?timeout=soon",
                "redis://app:s3cret@host?keyPrefix={x}",
                "redis://app:s3/cret@host",
                "redis://app:s3cret/x@host",
                "redis://app:s3cret?x@host",
                "redis://app:s3cret#x@host",
                "redis://app:s3cret%@host",
                "redis://app:s3cret%zz@host",
                "redis://app:s3cret [x]@host",
                "redis-sentinel://s3cret@one:1,two:2",
                "redis-sentinel://s3cret@one:1,two:b#master",
                "redis-cluster://s3cret@one:1,two:2/3",
                "redis-cluster://s3cret@one:1,,two:2",
                "redes://app:s3cret@host"
            })
    void malformedUrlIsRefusedWithoutItsPassword(String url) {
        Throwable thrown = catchThrowable(() -> RedisUrl.parse(url));

        assertThat(thrown).isInstanceOf(IllegalArgumentException.class);
        assertThat(LogLines.printed(thrown))
                .doesNotContain("s3cret")
                .doesNotContain("cret@")
                .doesNotContain("null");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "redis://host:port | name:port",
                "redis://host/one | the database must be a number: 'one'",
                "redis://host?keyprefix=x | the option 'keyprefix' is not supported",
                "redis://host?keyPrefix | the option 'keyPrefix' is not supported",
                "redis://host?timeout=1h | timeout must be between PT0.05S and PT30S: PT1H",
                "redis://host?timeout=soon | timeout must be a number with a unit, such as 500ms or 2s: 'soon'",
                "redis://host?keyPrefix={x} | keyPrefix must have 1 to 100 ASCII characters",
                "redis-cluster://one/3 | a cluster has database 0 only, not 3",
                "localhost:6379 | redis://localhost:6379",
                "redis://app:se/cret@host | %2F",
                "redis://app:se%cret@host | user name or the password"
            })
    void messageNamesTheProblem(String url, String problem) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisUrl.parse(url))
                .withMessageContaining(problem);
    }

    @Test
    void nameIsTheUrlWithoutCredentialsAndOptions() {
        assertThat(RedisUrl.parse("redis://app:p%40ss@host:7000/3?keyPrefix=a&timeout=500ms")
                        .name())
                .isEqualTo("redis://host:7000/3");
        assertThat(RedisUrl.parse("redis://app:p@ss@host").name()).isEqualTo("redis://host");
        assertThat(RedisUrl.parse("redis-cluster://p@one:1,two:2").name()).isEqualTo("redis-cluster://one:1,two:2");
        assertThat(RedisUrl.parse("redis-sentinel://p@one:1,two:2/1#main").name())
                .isEqualTo("redis-sentinel://one:1,two:2/1");
        assertThat(RedisUrl.parse("rediss://[::1]:7000").name()).isEqualTo("rediss://[::1]:7000");
    }

    @Test
    void optionsBecomeSettings() {
        StoreSettings settings =
                RedisUrl.parse("redis://host?keyPrefix=orders&timeout=500ms").settings();
        assertThat(settings.keyPrefix()).isEqualTo("orders");
        assertThat(settings.timeout()).isEqualTo(Duration.ofMillis(500));
    }
}
