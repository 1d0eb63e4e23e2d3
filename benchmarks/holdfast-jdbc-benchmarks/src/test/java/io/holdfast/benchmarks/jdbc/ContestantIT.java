package io.holdfast.benchmarks.jdbc;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.holdfast.benchmarks.kit.Bench;
import io.holdfast.benchmarks.kit.Effort;
import io.holdfast.benchmarks.kit.Guard;
import io.holdfast.benchmarks.kit.Request;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ContestantIT {

    private static final JdbcArena ARENA = new JdbcArena(Request.of(Effort.TINY), everybody -> true, Bench::say);

    static List<Contestant> everybody() {
        return Contestant.onServers(
                Kind.LEASE_TABLE,
                Kind.STRICT,
                Kind.SESSION_LOCKS,
                Kind.SPRING,
                Kind.SHEDLOCK,
                Kind.NAIVE,
                Kind.NAIVE_TOKEN);
    }

    @BeforeAll
    static void start() {
        everybody().forEach(ARENA::addressOf);
        ARENA.clear();
    }

    @AfterAll
    static void close() {
        ARENA.close();
    }

    @ParameterizedTest
    @MethodSource("everybody")
    void everyContestantLocksAndUnlocksAgainAndAgain(Contestant contestant) {
        Guard guard = contestant.open(ARENA.addressOf(contestant)).guard("apples");

        for (int i = 0; i < 3; i++) {
            assertThatCode(guard::acquire).doesNotThrowAnyException();
            assertThatCode(guard::release).doesNotThrowAnyException();
        }
    }
}
