package io.holdfast.tck;

import static io.holdfast.tck.Calls.acquire;
import static io.holdfast.tck.Calls.acquireUnknown;
import static io.holdfast.tck.Calls.check;
import static io.holdfast.tck.Calls.release;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tokens that only a careful look tells apart. */
class TokensInModelsTest {

    @Test
    void writerWithATokenBelowAnEarlierReadersIsRejected() {
        Verdict verdict = check(
                Model.readWrite(10),
                acquire("r", 1, 10, 0, 1),
                release("r", 10, 2, 3),
                acquire("w", 10, 5, 4, 5),
                release("w", 5, 6, 7));
        assertThat(verdict.kind()).isEqualTo(Verdict.Kind.VIOLATION);
    }

    @Test
    void readerWithATokenBelowAnEarlierWritersIsRejected() {
        Verdict verdict = check(
                Model.readWrite(10),
                acquire("w", 10, 10, 0, 1),
                release("w", 10, 2, 3),
                acquire("r", 1, 5, 4, 5),
                release("r", 5, 6, 7));
        assertThat(verdict.kind()).isEqualTo(Verdict.Kind.VIOLATION);
    }

    @Test
    void nextHolderBeginsAfterTheEndOfTheBlock() {
        Operation[] first = {acquire("a", 5, 0, 1).withTokens(8), release("a", 5, 2, 3)};

        assertThat(check(Model.fencedMutex(), first[0], first[1], acquire("b", 13, 4, 5))
                        .kind())
                .isEqualTo(Verdict.Kind.LINEARIZABLE);
        assertThat(check(Model.fencedMutex(), first[0], first[1], acquire("b", 12, 4, 5))
                        .kind())
                .isEqualTo(Verdict.Kind.VIOLATION);
    }

    @Test
    void readerBeginsAfterTheEndOfAWritersBlock() {
        Operation[] writer = {acquire("w", 10, 5, 0, 1).withTokens(8), release("w", 5, 2, 3)};

        assertThat(check(Model.readWrite(10), writer[0], writer[1], acquire("r", 1, 13, 4, 5))
                        .kind())
                .isEqualTo(Verdict.Kind.LINEARIZABLE);
        assertThat(check(Model.readWrite(10), writer[0], writer[1], acquire("r", 1, 12, 4, 5))
                        .kind())
                .isEqualTo(Verdict.Kind.VIOLATION);
    }

    @Test
    void releaseOfOneTokenDoesNotEndTheHoldOfAnother() {
        Operation[] history = {
            acquireUnknown("c", 0),
            acquire("c", 15, 1, 2),
            release("c", 13, 3, 4), // token 13 can only be of the first acquire
            acquire("d", 20, 5, 6), // and 15 was never given back
        };
        assertThat(check(Model.fencedMutex(), history).kind()).isEqualTo(Verdict.Kind.VIOLATION);
    }

    @Test
    void permitOfAnotherTokenIsNotGivenBack() {
        Operation[] history = {
            acquireUnknown("c", 0), acquire("c", 2, 15, 1, 2), release("c", 13, 3, 4), acquire("d", 2, 20, 5, 6)
        };
        // 2 of 3 are out with token 15, so two more are one too many
        assertThat(check(Model.semaphore(3), history).kind()).isEqualTo(Verdict.Kind.VIOLATION);
    }
}
