package io.holdfast.tck;

import static io.holdfast.tck.Calls.acquire;
import static io.holdfast.tck.Calls.acquireUnknown;
import static io.holdfast.tck.Calls.check;
import static io.holdfast.tck.Calls.expire;
import static io.holdfast.tck.Calls.release;
import static io.holdfast.tck.Calls.releaseRefused;
import static io.holdfast.tck.Calls.releaseUnknown;
import static io.holdfast.tck.Calls.releaseWithoutToken;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class UnknownOutcomeTest {

    private final Model<?> model = Model.fencedMutex();

    @Test
    void acquireWithoutAnswerMayNeverHaveHappened() {
        assertThat(check(model, acquireUnknown("a", 0), acquire("b", 1, 10, 20)).kind())
                .isEqualTo(Verdict.Kind.LINEARIZABLE);
    }

    @Test
    void acquireWithoutAnswerMayHaveHappenedWheneverItsReleaseSaysSo() {
        assertThat(check(
                                model,
                                acquireUnknown("a", 0),
                                acquire("b", 1, 10, 20),
                                release("b", 1, 30, 40),
                                releaseWithoutToken("a", 50, 60))
                        .kind())
                .isEqualTo(Verdict.Kind.LINEARIZABLE);
    }

    @Test
    void releaseMayKnowTheTokenOfAnAcquireWithoutAnswer() {
        assertThat(check(model, acquireUnknown("a", 0), release("a", 7, 10, 20)).kind())
                .isEqualTo(Verdict.Kind.LINEARIZABLE);
        assertThat(check(model, acquire("a", 6, 0, 5), release("a", 7, 10, 20)).kind())
                .isEqualTo(Verdict.Kind.VIOLATION);
    }

    @Test
    void acquireWithoutAnswerDoesNotHappenBeforeItIsCalled() {
        assertThat(check(model, acquireUnknown("a", 25), releaseWithoutToken("a", 10, 20))
                        .violations())
                .anyMatch(text -> text.contains("This cannot follow: release by a"));
    }

    @Test
    void acquireWithoutAnswerHappensOnce() {
        assertThat(check(
                                model,
                                acquireUnknown("a", 0),
                                releaseWithoutToken("a", 10, 20),
                                releaseWithoutToken("a", 30, 40))
                        .kind())
                .isEqualTo(Verdict.Kind.VIOLATION);
    }

    @Test
    void releaseWithoutAnswerMayHaveHappened() {
        assertThat(check(model, acquire("a", 1, 0, 10), releaseUnknown("a", 1, 20), acquire("b", 2, 30, 40))
                        .kind())
                .isEqualTo(Verdict.Kind.LINEARIZABLE);
    }

    @Test
    void releaseWithoutAnswerMayHappenAfterTheNextCallOrNever() {
        assertThat(check(
                                model,
                                acquire("a", 1, 0, 10),
                                releaseUnknown("a", 1, 20),
                                release("a", 1, 30, 40),
                                releaseRefused("a", 1, 50, 60))
                        .kind())
                .isEqualTo(Verdict.Kind.LINEARIZABLE);
    }

    @Test
    void releaseWithoutAnswerDoesNotHappenBeforeItIsCalled() {
        assertThat(check(model, acquire("a", 1, 0, 10), acquire("b", 2, 20, 30), releaseUnknown("a", 1, 40))
                        .violations())
                .anyMatch(text -> text.contains("The lock is then held by a with token 1"));
    }

    @Test
    void manyAcquiresThatExpiredUnseenDoNotDoubleTheWorkEach() {
        Operation[] operations = new Operation[3 * 40 + 2];
        for (int i = 0; i < 40; i++) {
            operations[3 * i] = acquireUnknown("lost-" + i, i);
            operations[3 * i + 1] = Operation.expire(Calls.NAME, "lost-" + i, OptionalLong.empty(), 100 + i);
            operations[3 * i + 2] = releaseUnknown("lost-" + i, 7, i);
        }
        operations[120] = acquire("a", 9, 1_000, 1_010);
        operations[121] = acquire("b", 8, 1_020, 1_030);

        assertThat(check(model, operations).kind()).isEqualTo(Verdict.Kind.VIOLATION);
    }

    @Test
    void acquireThatTookEffectUnseenEndsByExpiry() {
        Operation[] history = {
            acquireUnknown("a", 0),
            Operation.expire(Calls.NAME, "a", OptionalLong.empty(), 100),
            acquire("b", 1, 10, 200),
            expire("b", 1, 300)
        };

        assertThat(check(model, history).kind()).isEqualTo(Verdict.Kind.LINEARIZABLE);
    }
}
