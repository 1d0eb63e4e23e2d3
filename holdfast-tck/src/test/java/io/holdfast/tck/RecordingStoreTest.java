package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.spi.Ticker;
import io.holdfast.tck.Operation.Kind;
import io.holdfast.tck.Operation.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RecordingStoreTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration LONGER = Duration.ofMinutes(10);

    private final String url = "memory:" + UUID.randomUUID();
    private final Client client = new Client(
            "one",
            Duration.ofSeconds(20),
            environment -> new LosingStore(new MemoryStoreProvider().open(url, environment)));
    private final RecordingStore store = new RecordingStore(client.store(), Ticker.system());

    @AfterEach
    void close() {
        client.close();
    }

    private Claim claim(Claim.Mode mode) {
        return client.claim("name", mode, LEASE);
    }

    private void loseTheNextAnswer() {
        ((LosingStore) client.store()).loseTheNextAnswers(1);
    }

    private Operation only(Kind kind) {
        List<Operation> some =
                store.operations().stream().filter(each -> each.kind() == kind).toList();
        assertThat(some).hasSize(1);
        return some.get(0);
    }

    @Test
    void grantAndReleaseCarryTheToken() {
        Grant grant = client.granted(store.acquire(claim(Claim.Mode.WAIT)));
        client.await(store.release(grant.claim()));

        assertThat(only(Kind.ACQUIRE).outcome()).isEqualTo(Outcome.GRANTED);
        assertThat(only(Kind.ACQUIRE).token()).hasValue(grant.firstToken());
        assertThat(only(Kind.RELEASE).outcome()).isEqualTo(Outcome.GRANTED);
        assertThat(only(Kind.RELEASE).token()).hasValue(grant.firstToken());
        assertThat(only(Kind.RELEASE).called())
                .isGreaterThanOrEqualTo(only(Kind.ACQUIRE).returned());
    }

    @Test
    void claimThatAsksAgainAfterALostAnswerIsOneAcquire() {
        Claim claim = claim(Claim.Mode.WAIT);
        loseTheNextAnswer();
        client.await(store.acquire(claim).handle((answer, failure) -> failure != null));
        assertThat(only(Kind.ACQUIRE).outcome()).isEqualTo(Outcome.UNKNOWN);

        client.granted(store.acquire(claim));

        assertThat(only(Kind.ACQUIRE).outcome()).isEqualTo(Outcome.GRANTED);
    }

    @Test
    void refusalAndWaitingAreToldApart() {
        client.granted(client.store().acquire(claim(Claim.Mode.WAIT)));

        client.await(store.acquire(claim(Claim.Mode.TRY)));
        assertThat(only(Kind.ACQUIRE).outcome()).isEqualTo(Outcome.REFUSED);

        var unused = store.acquire(claim(Claim.Mode.WAIT));
        assertThat(store.operations())
                .filteredOn(each -> each.kind() == Kind.ACQUIRE)
                .extracting(Operation::outcome)
                .containsExactly(Outcome.REFUSED, Outcome.UNKNOWN);
    }

    @Test
    void renewalPutsOffTheExpiry() {
        Grant grant = client.granted(store.acquire(claim(Claim.Mode.WAIT)));
        assertThat(only(Kind.EXPIRE).called())
                .isEqualTo(grant.countsFrom().nanos() + RecordingStore.reliable(grant.lease()));
        long sent = Ticker.system().nanos();

        client.await(store.renew(List.of(new RenewalRequest(grant.claim(), LONGER))));

        assertThat(only(Kind.EXPIRE).called()).isGreaterThanOrEqualTo(sent + RecordingStore.reliable(LONGER));
    }

    @Test
    void wholeBlockIsRecorded() {
        Grant grant = client.granted(store.acquire(claim(Claim.Mode.WAIT)));

        assertThat(grant.tokens()).isEqualTo(8);
        assertThat(only(Kind.ACQUIRE).tokens()).isEqualTo(8);
    }

    @Test
    void renewalIsRecordedWithItsAnswer() {
        Grant grant = client.granted(store.acquire(claim(Claim.Mode.WAIT)));
        client.await(store.renew(List.of(new RenewalRequest(grant.claim(), LONGER))));
        assertThat(only(Kind.RENEW).outcome()).isEqualTo(Outcome.GRANTED);
        assertThat(only(Kind.RENEW).token()).hasValue(grant.firstToken());

        client.await(store.release(grant.claim()));
        client.await(store.renew(List.of(new RenewalRequest(grant.claim(), LONGER))));

        assertThat(store.operations())
                .filteredOn(each -> each.kind() == Kind.RENEW)
                .extracting(Operation::outcome)
                .containsExactly(Outcome.GRANTED, Outcome.REFUSED);
    }

    @Test
    void revocationIsRecordedWithItsAnswer() {
        Grant grant = client.granted(store.acquire(claim(Claim.Mode.WAIT)));
        client.await(store.revoke("name", grant.firstToken() + 7));
        assertThat(only(Kind.REVOKE).outcome()).isEqualTo(Outcome.GRANTED);
        assertThat(only(Kind.REVOKE).token()).hasValue(grant.firstToken() + 7);

        client.await(store.revoke("name", grant.firstToken()));

        assertThat(store.operations())
                .filteredOn(each -> each.kind() == Kind.REVOKE)
                .extracting(Operation::outcome)
                .containsExactly(Outcome.GRANTED, Outcome.REFUSED);
        assertThat(Linearizability.check(Model.fencedMutex(), store.operations())
                        .explanation())
                .isEmpty();
    }
}
