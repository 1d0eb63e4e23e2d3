package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.tck.RandomSections.Section;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Eight clients and 20,000 calls: a search that is not linear in them would not end. */
class LongHistoryTest {

    private static final int SECTIONS = 10_000;

    private final Random random = new Random(42);
    private final List<Section> sections = RandomSections.of(random, 8, SECTIONS);

    @Test
    void correctOneIsAccepted() {
        assertThat(judge(Model.fencedMutex(), RandomSections.operations(sections)))
                .isEqualTo(Verdict.Kind.LINEARIZABLE);
        assertThat(judge(Model.mutex(), RandomSections.operations(sections))).isEqualTo(Verdict.Kind.LINEARIZABLE);
        assertThat(judge(Model.semaphore(1), RandomSections.operations(sections)))
                .isEqualTo(Verdict.Kind.LINEARIZABLE);
        assertThat(judge(Model.semaphore(2), RandomSections.operations(sections)))
                .isEqualTo(Verdict.Kind.LINEARIZABLE);
    }

    @Test
    void timeOutsDoNotHideAnOrder() {
        assertThat(judge(Model.fencedMutex(), RandomSections.operationsWithTimeOuts(sections, random)))
                .isEqualTo(Verdict.Kind.LINEARIZABLE);
    }

    @Test
    void oneWrongTokenNearTheEndIsFound() {
        int late = SECTIONS - 100;
        sections.set(late, sections.get(late).withToken(sections.get(late - 1).token()));

        assertThat(judge(Model.fencedMutex(), RandomSections.operations(sections)))
                .isEqualTo(Verdict.Kind.VIOLATION);
        assertThat(judge(Model.fencedMutex(), RandomSections.operationsWithTimeOuts(sections, random)))
                .isEqualTo(Verdict.Kind.VIOLATION);
    }

    private static Verdict.Kind judge(Model<?> model, List<Operation> operations) {
        return Linearizability.check(model, operations).kind();
    }
}
