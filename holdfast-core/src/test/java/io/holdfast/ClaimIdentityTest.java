package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.ClaimId;
import io.holdfast.testing.TwoProcesses;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A process image that is restored twice must not send the same claims from both copies. */
class ClaimIdentityTest {

    /** Copies have the same memory, so what is new in a claim must come from outside of the process. */
    @Test
    void everyClaimHasARandomNumberOfItsOwn() {
        try (TwoProcesses processes = new TwoProcesses()) {
            for (int i = 0; i < 100; i++) {
                processes.here.lock("a").acquire().close();
            }

            assertThat(claims(processes).stream().map(ClaimId::random)).doesNotHaveDuplicates();
        }
    }

    /** The store may have executed it: another id would be another claim. */
    @Test
    void claimThatIsRetriedKeepsItsId() {
        try (TwoProcesses processes = new TwoProcesses()) {
            processes.store.down = true;
            var waiter = processes.here.lock("a").acquireAsync(LockOptions.FOREVER);
            processes.time.pass(Duration.ofSeconds(1));
            processes.store.down = false;
            processes.time.pass(Duration.ofSeconds(2));

            assertThat(waiter).isCompleted();
            assertThat(claims(processes)).hasSizeGreaterThan(1);
            assertThat(claims(processes).stream().distinct()).hasSize(1);
        }
    }

    private static List<ClaimId> claims(TwoProcesses processes) {
        return processes.store.claims.stream().map(claim -> claim.id()).toList();
    }
}
