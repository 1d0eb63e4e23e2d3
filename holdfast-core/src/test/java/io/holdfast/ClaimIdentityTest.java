package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A process image that is restored twice must not send the same claims from both copies. */
class ClaimIdentityTest {

    @Test
    void claimsAfterAReconnectHaveAnotherProcessId() {
        try (TwoProcesses processes = new TwoProcesses()) {
            processes.here.lock("a").acquire().close();
            processes.here.lock("b").acquire().close();
            processes.store.connections = 1;
            processes.here.lock("c").acquire().close();

            List<Long> ids = processIds(processes);
            assertThat(ids.get(1)).isEqualTo(ids.get(0));
            assertThat(ids.get(2)).isNotEqualTo(ids.get(0));
        }
    }

    /** A copy makes its first claim before its store finds that the connection is gone, and sends it afterwards. */
    @Test
    void firstClaimAfterAWhileHasAnotherProcessId() {
        try (TwoProcesses processes = new TwoProcesses()) {
            processes.here.lock("a").acquire().close();
            processes.time.pause(Duration.ofMillis(200));
            processes.here.lock("b").acquire().close();

            List<Long> ids = processIds(processes);
            assertThat(ids.get(1)).isNotEqualTo(ids.get(0));
        }
    }

    /** The store may have executed it: another id would be another claim. */
    @Test
    void claimThatIsRetriedAfterAReconnectKeepsItsId() {
        try (TwoProcesses processes = new TwoProcesses()) {
            processes.store.down = true;
            var waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
            processes.time.pass(Duration.ofSeconds(1));
            processes.store.connections = 1;
            processes.store.down = false;
            processes.time.pass(Duration.ofSeconds(2));

            assertThat(waiter).isCompleted();
            assertThat(processes.store.claims).hasSizeGreaterThan(1);
            assertThat(processes.store.claims.stream().map(claim -> claim.id()).distinct())
                    .hasSize(1);
        }
    }

    private static List<Long> processIds(TwoProcesses processes) {
        return processes.store.claims.stream()
                .map(claim -> claim.id().process())
                .toList();
    }
}
