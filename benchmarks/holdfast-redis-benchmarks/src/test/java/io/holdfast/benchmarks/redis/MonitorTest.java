package io.holdfast.benchmarks.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MonitorTest {

    @Test
    void commandsOfClientsAreSent() {
        assertThat(Monitor.isSent("1339518083.107412 [0 127.0.0.1:60866] \"evalsha\" \"ab\" \"1\" \"lua\""))
                .isTrue();
        assertThat(Monitor.isSent("1339518083.107412 [0 127.0.0.1:60866] \"SET\" \"apples-0\" \"data\""))
                .isTrue();
    }

    @Test
    void commandsInsideScriptsAreNotSent() {
        assertThat(Monitor.isSent("1339518083.107412 [0 lua] \"get\" \"apples-0\""))
                .isFalse();
    }

    @Test
    void whatIsDoneUnderTheLockDoesNotCount() {
        assertThat(Monitor.isSent("1339518083.107412 [0 127.0.0.1:60866] \"GET\" \"data\""))
                .isFalse();
        assertThat(Monitor.isSent("1339518083.107412 [0 127.0.0.1:60866] \"set\" \"data\" \"7\""))
                .isFalse();
    }
}
