package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.servers.RedisServer;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A writer dies while readers wait. The first of them finds out by asking; it must not be the only one that is let in. */
class AllThatFitIT {

    private static final Duration WRITER = Duration.ofSeconds(2);
    private static final Duration READER = Duration.ofSeconds(60);
    private static final int CLIENTS = 4;
    /** As many as one script lets in: the one that asks, and eight that are told. */
    private static final int AT_ONCE = 9;

    @Test
    void allReadersAreLetInWithTheFirst() {
        List<Long> tokens = tokensOfReadersBehindADeadWriter(AT_ONCE);

        // Tokens are microseconds of the server's clock, and only those of one script follow each other.
        assertThat(tokens)
                .isEqualTo(LongStream.range(tokens.get(0), tokens.get(0) + AT_ONCE)
                        .boxed()
                        .toList());
    }

    @Test
    void moreThanOneCallServesFollowAtOnce() {
        List<Long> tokens = tokensOfReadersBehindADeadWriter(3 * AT_ONCE);

        assertThat(Duration.of(tokens.get(tokens.size() - 1) - tokens.get(0), ChronoUnit.MICROS))
                .as("less than it takes until the next of them asks by itself")
                .isLessThan(Duration.ofMillis(1_500));
    }

    private static List<Long> tokensOfReadersBehindADeadWriter(int count) {
        try (RedisServer server = RedisServer.start();
                Holdfast looking = Holdfast.connect(server.url())) {
            List<StoreClient> clients = IntStream.range(0, CLIENTS)
                    .mapToObj(i -> new StoreClient(RedisStore.at(server.url())::open))
                    .toList();
            try {
                Claim writer =
                        clients.get(0).claim("pages", Claim.Mode.TRY, Claim.READ_WRITE, Claim.READ_WRITE, WRITER);
                assertThat(Eventually.comes(clients.get(0).store().acquire(writer)))
                        .isPresent();
                List<CompletableFuture<Optional<Grant>>> readers = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    StoreClient client = clients.get(i % CLIENTS);
                    readers.add(client.store()
                            .acquire(client.claim("pages", Claim.Mode.WAIT, 1, Claim.READ_WRITE, READER)));
                }
                Eventually.holds(
                        "all wait",
                        () -> looking.readWriteLock("pages").inspect().waiters() == count);
                return readers.stream()
                        .map(reader -> Eventually.comes(reader).orElseThrow().firstToken())
                        .sorted()
                        .toList();
            } finally {
                clients.forEach(StoreClient::close);
            }
        }
    }
}
