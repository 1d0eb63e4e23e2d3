package io.holdfast.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StoreTest {

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2", "FILE"})
    void noFaultExcusesTwoHoldersOfALeaseInATable(Store store) {
        assertThat(store.faults()).isNotEmpty().noneMatch(store::losesBy);
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL_SESSIONS", "MARIADB_SESSIONS"})
    void sessionLocksAreLostWithTheirSessionsAndByNothingElse(Store store) {
        Set<Fault> losing = store.faults().stream().filter(store::losesBy).collect(Collectors.toSet());
        assertThat(losing)
                .containsExactlyInAnyOrder(
                        Fault.CUT_ALL_CONNECTIONS,
                        Fault.REFUSE_CONNECTIONS,
                        Fault.SWALLOW_CONNECTIONS,
                        Fault.RESTART_SERVER,
                        Fault.KILL_SESSIONS);
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsWishedThatTheStoreHasNot(Store store) {
        Names names = store.names("a-");
        SplittableRandom dice = new SplittableRandom(1);
        Set<Role> wished = EnumSet.noneOf(Role.class);
        for (int i = 0; i < 1_000; i++) {
            Wish wish = Wish.any(names, dice);
            wished.add(wish.role());
            assertThat(names.capacities().keySet()).containsAll(wish.names());
        }
        assertThat(wished).isEqualTo(store.roles());
    }

    @ParameterizedTest
    @EnumSource
    void storesAreCalledByTheirWords(Store store) {
        assertThat(Store.of(store.word())).isEqualTo(store);
    }

    @Test
    void anotherWordIsRefused() {
        assertThatThrownBy(() -> Store.of("oracle"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("postgresql-sessions");
    }
}
