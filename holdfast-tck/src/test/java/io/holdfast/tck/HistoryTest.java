package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Ticker;
import io.holdfast.tck.Operation.Outcome;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HistoryTest {

    private final History history = new History(Ticker.system());

    @Test
    void beginningOfACorrectHistoryIsCorrect() {
        RandomSections.operations(RandomSections.of(new Random(7), 6, 100)).forEach(history::add);

        for (int most = 0; most <= 200; most++) {
            List<Operation> some = history.operations(most);

            assertThat(some).hasSizeBetween(most - 12, most);
            assertThat(Linearizability.check(Model.fencedMutex(), some).explanation())
                    .as("of the first %s", most)
                    .isEmpty();
        }
    }

    @Test
    void callsThatWereUnderWayAtTheCutAreNotKnown() {
        history.add(Calls.acquire("a", 1, 0, 10));
        history.add(Calls.release("a", 1, 20, 100));
        history.add(Calls.acquire("b", 2, 30, 97));
        history.add(Calls.acquireUnknown("c", 40));
        history.add(Calls.acquireRefused("d", 95, 99));

        assertThat(history.operations(4))
                .extracting(Operation::outcome)
                .containsExactly(Outcome.GRANTED, Outcome.UNKNOWN, Outcome.UNKNOWN);
        assertThat(history.operations(5)).hasSize(5).isEqualTo(history.operations());
    }
}
