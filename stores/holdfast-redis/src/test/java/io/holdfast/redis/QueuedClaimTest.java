package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.monitoring.Owner;
import io.holdfast.redis.internal.claim.QueuedClaim;
import io.holdfast.redis.internal.connection.RedisConnections;
import io.holdfast.redis.internal.connection.StoreSettings;
import io.holdfast.spi.Claim;
import io.holdfast.spi.ClaimId;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Moment;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class QueuedClaimTest {

    private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);

    @Test
    void earlierOfTwoMomentsOfOneClockIsTheOneThatCameFirst() {
        Moment first = new Moment(1_000, 10);
        Moment second = new Moment(3_000, 12);

        assertThat(QueuedClaim.earlier(first, second)).isEqualTo(first);
        assertThat(QueuedClaim.earlier(second, first)).isEqualTo(first);
        assertThat(QueuedClaim.earlier(first, first)).isEqualTo(first);
    }

    /** The monotonic clock stood still while the machine slept, so by that one the message came before it was sent. */
    @Test
    void eachClockIsComparedByItself() {
        Moment sent = new Moment(5_000_000, 20_000);
        Moment received = new Moment(4_000_000, 20_000 + HOUR_MICROS);

        assertThat(QueuedClaim.earlier(sent, received)).isEqualTo(new Moment(4_000_000, 20_000));
        assertThat(QueuedClaim.earlier(received, sent)).isEqualTo(new Moment(4_000_000, 20_000));
    }

    @Test
    void wallClockThatWasSetBackDoesNotMakeTheOtherClockLater() {
        Moment sent = new Moment(4_000_000, 20_000 + HOUR_MICROS);
        Moment received = new Moment(5_000_000, 20_000);

        assertThat(QueuedClaim.earlier(sent, received)).isEqualTo(new Moment(4_000_000, 20_000));
    }

    @Test
    void monotonicClockMayPassItsLargestNumber() {
        Moment before = new Moment(Long.MAX_VALUE, 10);
        Moment after = new Moment(Long.MIN_VALUE, 11);

        assertThat(QueuedClaim.earlier(before, after)).isEqualTo(before);
        assertThat(QueuedClaim.earlier(after, before)).isEqualTo(before);
    }

    /** As when the subscription succeeds while a request that was sent before is still pending. */
    @Test
    void reasonToPollIsNotLostWhileTheSubscriptionIsNotVisible() {
        ScriptedConnections server = new ScriptedConnections();
        List<RedisConnections.Listener> listeners = new ArrayList<>();
        Environment environment = new Environment(Ticker.system(), (task, delay) -> () -> {}, Runnable::run, () -> 0.5);
        try (RedisStore store = new RedisStore("test", environment, StoreSettings.DEFAULTS, listener -> {
            listeners.add(listener);
            return server.connections();
        })) {
            Owner owner = new Owner("test", 1, "test", "");
            Duration lease = Duration.ofSeconds(10);
            var unused = store.acquire(new Claim("apples", new ClaimId(1, 1), Claim.Mode.WAIT, 1, 1, lease, 1, owner));
            server.answer(1, 3L);
            assertThat(server.requests()).as("it polls after it has subscribed").hasSize(2);
            listeners.get(0).onMissedMessages();
            server.answer(2, 3L);

            assertThat(server.requests())
                    .as("it polls again at once, without a timer")
                    .hasSize(3);
        }
    }
}
