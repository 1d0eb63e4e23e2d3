package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

/** The kit is worth what it finds. */
class KitFindsBrokenStoresTest {

    private static final String WHICH = "holdfast.tck.broken";

    private static final List<PlantedBug> BUGS = Stream.<PlantedBug[]>of(
                    Broken.values(),
                    BrokenSharing.values(),
                    BrokenTokens.values(),
                    BrokenLeases.values(),
                    BrokenShortening.values(),
                    BrokenBetweenProcesses.values())
            .flatMap(Arrays::stream)
            .toList();

    static List<PlantedBug> bugs() {
        return BUGS;
    }

    @ParameterizedTest
    @MethodSource("bugs")
    void plantedBugFailsItsCase(PlantedBug bug) {
        EngineExecutionResults results = EngineTestKit.engine("junit-jupiter")
                .configurationParameter(WHICH, bug.toString())
                .selectors(selectClass(BrokenStoreBinding.class))
                .execute();

        assertThat(results.testEvents().started().count())
                .as("the case " + bug.caughtBy() + " was run")
                .isEqualTo(1);
        List<Event> failed = results.testEvents().failed().list();
        assertThat(failed).as("the case " + bug.caughtBy() + " failed").hasSize(1);
        assertThat(failure(failed.get(0))).contains(bug.because());
        System.out.printf("kit: %-40s caught by %s%n", bug, bug.caughtBy());
    }

    private static String failure(Event failed) {
        return failed.getRequiredPayload(TestExecutionResult.class)
                .getThrowable()
                .map(String::valueOf)
                .orElse("");
    }

    /** The kit on a store with a bug; runs only when it is asked for by the test above. */
    @ExtendWith(OnlyOnDemand.class)
    static class BrokenStoreBinding extends LockStoreTck {

        private final Broken.Shared shared = new Broken.Shared();

        @Override
        protected LockStore open(Environment environment) {
            return shared.open(OnlyOnDemand.which(), environment);
        }

        @Override
        protected Optional<StoreAddress> addressForOtherProcesses() {
            return OnlyOnDemand.which().address(shared);
        }

        @Override
        protected OptionalLong commandsSent() {
            return OptionalLong.of(shared.commands.get());
        }

        @Override
        protected Duration shortLease() {
            return Duration.ofMillis(200);
        }

        @Override
        protected Duration patience() {
            return OnlyOnDemand.which().patience();
        }
    }

    /** Reads which bug to plant from the run's parameters. */
    static final class OnlyOnDemand implements ExecutionCondition {

        private static volatile String bug = "";

        static PlantedBug which() {
            return BUGS.stream()
                    .filter(planted -> planted.toString().equals(bug))
                    .findFirst()
                    .orElseThrow();
        }

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            bug = context.getConfigurationParameter(WHICH).orElse("");
            if (bug.isEmpty()) {
                return ConditionEvaluationResult.disabled("no bug to plant");
            }
            boolean wanted = context.getTestMethod()
                    .map(method -> method.getName().equals(which().caughtBy()))
                    .orElse(true);
            return wanted
                    ? ConditionEvaluationResult.enabled("with " + bug)
                    : ConditionEvaluationResult.disabled("not the case that has to find " + bug);
        }
    }
}
