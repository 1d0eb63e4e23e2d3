package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.monitoring.LockInfo;
import io.holdfast.servers.RedisServer;
import io.holdfast.servers.RespClient;
import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.NameFilter;
import io.holdfast.spi.RenewalRequest;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.StoreClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A semaphore with many holders costs the server hardly more per request than one with few. */
class ManyHoldersIT {

    private static final int HOLDERS = 5_000;
    private static final int CAPACITY = 2 * HOLDERS;
    private static final int AT_ONCE = 500;
    private static final String NAME = "permits";
    private static final String KEY = "holdfast:{" + NAME + "}";
    private static final Duration LONG = Duration.ofMinutes(5);
    /** Of holders that crash; long enough for all of them to be there at once. */
    private static final Duration CRASHED = Duration.ofSeconds(4);

    private static final Duration SHORT = Duration.ofMillis(100);

    /** Commands inside of one script. With one command for each holder it would be {@value HOLDERS} and more. */
    private static final long MOST_COMMANDS = 60;

    private static final long MOST_COMMANDS_WITH_EXPIRED = 300;

    private RedisServer server;
    private RespClient admin;
    private StoreClient client;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        admin = server.client();
        client = new StoreClient(RedisStore.at(server.url()));
    }

    @AfterEach
    void stop() {
        KeyCheck.everyKeyExpires(admin);
        client.close();
        admin.close();
        server.close();
    }

    @Test
    void workOfARequestDoesNotGrowWithTheHolders() {
        List<Claim> holders = hold(HOLDERS, LONG);
        hold(1, SHORT);
        awaitExpiry(SHORT);
        Claim next = client.claim(NAME, Claim.Mode.TRY, 1, CAPACITY, LONG);

        Map<String, Long> commands = new HashMap<>();
        commands.put(
                "acquire, one expired",
                commandsOf(() -> assertThat(granted(next)).isPresent()));
        Grant revoked =
                granted(client.claim(NAME, Claim.Mode.TRY, 1, CAPACITY, LONG)).orElseThrow();
        commands.put(
                "revoke",
                commandsOf(() -> assertThat(Eventually.comes(client.store().revoke(NAME, revoked.firstToken())))
                        .isTrue()));
        commands.put(
                "revoke of an unknown token",
                commandsOf(() -> assertThat(Eventually.comes(client.store().revoke(NAME, 17)))
                        .isFalse()));
        commands.put(
                "renew the first to expire",
                commandsOf(() -> assertThat(renewed(holders.get(0), LONG.multipliedBy(2)))
                        .isEqualTo(RenewalRequest.Outcome.KEPT)));
        commands.put(
                "release of one in the middle",
                commandsOf(() -> assertThat(released(holders.get(HOLDERS / 2))).isTrue()));
        Claim another = hold(1, SHORT).get(0);
        awaitExpiry(SHORT);
        commands.put("release of one that has expired", commandsOf(() -> released(another)));

        assertThat(commands).allSatisfy((request, count) -> assertThat(count).isBetween(1L, MOST_COMMANDS));
        assertThat(commandsOf(() -> Eventually.comes(client.store().inspect(NameFilter.exactly(NAME)))))
                .as("inspect, which shows at most 400 holders")
                .isLessThan(MOST_COMMANDS + 40);
        assertThat(admin.number("HLEN", KEY)).isLessThan(4L * HOLDERS);
    }

    @Test
    void claimToEverythingIsGrantedAtOnceAfterAllHoldersDiedByShortScripts() {
        hold(HOLDERS, CRASHED);
        awaitExpiry(CRASHED);

        long scripts = Commands.sent(server);
        long commands =
                commandsOf(() -> assertThat(granted(client.claim(NAME, Claim.Mode.TRY, CAPACITY, CAPACITY, LONG)))
                        .isPresent());

        assertThat(commands / (Commands.sent(server) - scripts)).isLessThan(MOST_COMMANDS_WITH_EXPIRED);
        assertThat(Eventually.comes(client.store().inspect(NameFilter.exactly(NAME)))
                        .get(0)
                        .holders())
                .hasSize(1);
    }

    @Test
    void holderBeforeManyThatHaveExpiredIsShown() {
        hold(299, CRASHED);
        Claim live = hold(1, LONG).get(0);
        hold(700, CRASHED);
        awaitExpiry(CRASHED);

        List<LockInfo> found = Eventually.comes(client.store().inspect(NameFilter.exactly(NAME)));

        assertThat(found)
                .singleElement()
                .satisfies(info -> assertThat(info.holders()).hasSize(1));
        assertThat(released(live)).isTrue();
        assertThat(Eventually.comes(client.store().inspect(NameFilter.exactly(NAME))))
                .isEmpty();
    }

    @Test
    void nameIsOfAnotherKindAfterAllHoldersDied() {
        hold(HOLDERS, CRASHED);
        awaitExpiry(CRASHED);

        Claim lock = client.claim(NAME, Claim.Mode.TRY);
        assertThat(granted(lock)).isPresent();
        assertThat(released(lock)).isTrue();
        assertThat(admin.list("HKEYS", KEY)).hasSize(2);
    }

    @Test
    void expiredHoldersAreRemovedAlthoughNoClaimNeedsTheirPermits() {
        hold(HOLDERS, CRASHED);
        awaitExpiry(CRASHED);
        assertThat(granted(client.claim(NAME, Claim.Mode.TRY, 1, CAPACITY, LONG)))
                .isPresent();
        Eventually.holds("one holder is left", () -> "1".equals(admin.call("HGET", KEY, "held")));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void holdersStayInTheOrderOfTheirExpiry(long seed) {
        Random random = new Random(seed);
        List<Claim> held = new ArrayList<>();
        Map<Claim, Grant> grants = new HashMap<>();
        for (int step = 0; step < 600; step++) {
            int what = random.nextInt(10);
            if (what < 5 || held.isEmpty()) {
                int units = 1 + random.nextInt(3);
                Claim claim = client.claim(
                        NAME, Claim.Mode.TRY, units, 1_000_000, Duration.ofSeconds(60 + random.nextInt(600)));
                grants.put(claim, granted(claim).orElseThrow());
                held.add(claim);
            } else if (what < 7) {
                Claim claim = held.get(random.nextInt(held.size()));
                assertThat(renewed(claim.withUnits(1), Duration.ofSeconds(60 + random.nextInt(900))))
                        .isEqualTo(RenewalRequest.Outcome.KEPT);
            } else {
                Claim claim = held.remove(random.nextInt(held.size()));
                boolean ended = what < 9
                        ? released(claim)
                        : Eventually.comes(client.store()
                                .revoke(
                                        NAME,
                                        Objects.requireNonNull(grants.get(claim))
                                                .firstToken()));
                assertThat(ended).isTrue();
            }
            if (step % 20 == 0) {
                assertInOrder(held);
            }
        }
        assertInOrder(held);
        held.forEach(claim -> assertThat(released(claim)).isTrue());
        assertThat(admin.list("HKEYS", KEY)).hasSize(2);
    }

    /** Reads all of the hash: numbers without gaps, both indexes, and no holder that expires before its parent. */
    private void assertInOrder(List<Claim> held) {
        Map<String, String> fields = new HashMap<>();
        List<?> all = admin.list("HGETALL", KEY);
        for (int i = 0; i < all.size(); i += 2) {
            fields.put(String.valueOf(all.get(i)), String.valueOf(all.get(i + 1)));
        }
        assertThat(fields.getOrDefault("held", "0")).isEqualTo(String.valueOf(held.size()));
        long used = 0;
        List<String> ids = new ArrayList<>();
        for (int k = 1; k <= held.size(); k++) {
            String[] record = Objects.requireNonNull(fields.get("h:" + k)).split(" ", -1);
            ids.add(record[1]);
            used += Long.parseLong(record[3]);
            assertThat(fields.get("at:" + record[1])).isEqualTo(String.valueOf(k));
            assertThat(fields.get("o:" + record[4])).startsWith(record[1] + " ");
            if (k > 1) {
                String parent = Objects.requireNonNull(fields.get("h:" + ((k - 2) / 4 + 1)))
                        .split(" ", -1)[0];
                assertThat(Long.parseLong(parent)).as("parent of %d", k).isLessThanOrEqualTo(Long.parseLong(record[0]));
            }
        }
        assertThat(ids)
                .containsExactlyInAnyOrderElementsOf(
                        held.stream().map(claim -> claim.id().toString()).toList());
        assertThat(fields.getOrDefault("used", "0")).isEqualTo(String.valueOf(used));
        assertThat(fields.keySet()).filteredOn(field -> field.contains(":")).hasSize(3 * held.size());
    }

    private List<Claim> hold(int count, Duration lease) {
        List<Claim> claims = IntStream.range(0, count)
                .mapToObj(i -> client.claim(NAME, Claim.Mode.TRY, 1, CAPACITY, lease))
                .toList();
        for (int from = 0; from < count; from += AT_ONCE) {
            List<CompletableFuture<Optional<Grant>>> answers =
                    claims.subList(from, Math.min(count, from + AT_ONCE)).stream()
                            .map(claim -> client.store().acquire(claim))
                            .toList();
            answers.forEach(answer -> assertThat(Eventually.comes(answer)).isPresent());
        }
        return claims;
    }

    /** By the clock of the server. */
    private void awaitExpiry(Duration lease) {
        long end = micros() + lease.toNanos() / 1_000;
        Eventually.holds("all have expired", () -> micros() > end);
    }

    private long micros() {
        List<?> time = admin.list("TIME");
        return Long.parseLong(String.valueOf(time.get(0))) * 1_000_000 + Long.parseLong(String.valueOf(time.get(1)));
    }

    private long commandsOf(Runnable request) {
        long before = Commands.inside(server);
        request.run();
        return Commands.inside(server) - before;
    }

    private Optional<Grant> granted(Claim claim) {
        return Eventually.comes(client.store().acquire(claim));
    }

    private boolean released(Claim claim) {
        return Eventually.comes(client.store().release(claim));
    }

    private RenewalRequest.Outcome renewed(Claim claim, Duration lease) {
        return Eventually.comes(client.store().renew(List.of(new RenewalRequest(claim, lease))))
                .get(0);
    }
}
