package io.holdfast.tck;

import static io.holdfast.tck.Calls.acquire;
import static io.holdfast.tck.Calls.check;
import static io.holdfast.tck.Calls.expire;
import static io.holdfast.tck.Calls.release;
import static io.holdfast.tck.Calls.releaseRefused;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LeaseOverrunTest {

    private final Model<?> model = Model.fencedMutex();

    @Test
    void leaseThatIsGivenBackInTimeIsNoOverrun() {
        assertThat(check(model, acquire("a", 1, 0, 10), expire("a", 1, 100), release("a", 1, 50, 60))
                        .kind())
                .isEqualTo(Verdict.Kind.LINEARIZABLE);
    }

    @Test
    void secondHolderAfterTheEndOfTheLeaseIsAnOverrunAndNoBug() {
        Verdict verdict = check(
                model,
                acquire("a", 1, 0, 10),
                expire("a", 1, 100),
                acquire("b", 2, 20, 110),
                releaseRefused("a", 1, 120, 130),
                release("b", 2, 140, 150));

        assertThat(verdict.kind()).isEqualTo(Verdict.Kind.OVERRUN);
        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.explanation())
                .first()
                .asString()
                .isEqualTo("'name': A lease was overrun: expire with token 1 of a (from 100)");
        assertThat(verdict.explanation())
                .anyMatch(text -> text.contains("This cannot follow: acquire with token 2 by b"));
    }

    @Test
    void secondHolderBeforeTheEndOfTheLeaseIsABug() {
        Verdict verdict = check(
                model,
                acquire("a", 1, 0, 10),
                expire("a", 1, 100),
                acquire("b", 2, 20, 90),
                releaseRefused("a", 1, 120, 130));

        assertThat(verdict.kind()).isEqualTo(Verdict.Kind.VIOLATION);
        assertThat(verdict.violations()).anyMatch(text -> text.contains("held by a with token 1"));
    }

    @Test
    void releaseGrantedToAHolderWhoseNameWasPassedOnIsABug() {
        assertThat(check(
                                model,
                                acquire("a", 1, 0, 10),
                                expire("a", 1, 100),
                                acquire("b", 2, 20, 110),
                                release("a", 1, 120, 130),
                                release("b", 2, 140, 150))
                        .kind())
                .isEqualTo(Verdict.Kind.VIOLATION);
    }

    @Test
    void tokenMustGrowAcrossTheEndOfALease() {
        assertThat(check(model, acquire("a", 2, 0, 10), expire("a", 2, 100), acquire("b", 2, 110, 120))
                        .kind())
                .isEqualTo(Verdict.Kind.VIOLATION);
    }

    @Test
    void expiryEndsAllHoldsOfAReentrantOwner() {
        assertThat(check(
                                Model.reentrantFencedMutex(5),
                                acquire("a", 1, 0, 10),
                                acquire("a", 1, 20, 30),
                                release("a", 1, 40, 50),
                                expire("a", 1, 100),
                                acquire("b", 2, 110, 120))
                        .kind())
                .isEqualTo(Verdict.Kind.OVERRUN);
    }

    @Test
    void permitsOfOneLeaseEndTogetherAndOthersStay() {
        Model<?> semaphore = Model.semaphore(3);
        Operation[] both = {acquire("a", 2, 1, 0, 10), acquire("b", 1, 2, 0, 10), expire("a", 1, 100)};

        assertThat(check(semaphore, both[0], both[1], both[2], acquire("c", 2, 3, 110, 120))
                        .kind())
                .isEqualTo(Verdict.Kind.OVERRUN);
        assertThat(check(semaphore, both[0], both[1], both[2], acquire("c", 3, 3, 110, 120))
                        .kind())
                .isEqualTo(Verdict.Kind.VIOLATION);
    }

    @Test
    void worstNameDecides() {
        Operation stale = acquire("x", 1, 0, 10);
        assertThat(check(
                                model,
                                acquire("a", 1, 0, 10),
                                expire("a", 1, 100),
                                acquire("b", 2, 110, 120),
                                elsewhere(stale),
                                elsewhere(acquire("y", 1, 20, 30)))
                        .kind())
                .isEqualTo(Verdict.Kind.VIOLATION);
    }

    private static Operation elsewhere(Operation call) {
        return Operation.acquire(
                "elsewhere", call.client(), 1, call.token(), call.outcome(), call.called(), call.returned());
    }
}
