package io.holdfast.tck;

import static io.holdfast.tck.Calls.acquire;
import static io.holdfast.tck.Calls.acquireUnknown;
import static io.holdfast.tck.Calls.check;
import static io.holdfast.tck.Calls.expire;
import static io.holdfast.tck.Calls.gone;
import static io.holdfast.tck.Calls.kept;
import static io.holdfast.tck.Calls.release;
import static io.holdfast.tck.Calls.releaseRefused;
import static io.holdfast.tck.Calls.revoke;
import static io.holdfast.tck.Calls.revokeRefused;
import static io.holdfast.tck.Calls.revokeUnknown;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.tck.Operation.Outcome;
import io.holdfast.tck.Verdict.Kind;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RenewalAndRevocationTest {

    private static Kind judged(Operation... operations) {
        return check(Model.fencedMutex(), operations).kind();
    }

    @Nested
    @DisplayName("Renewal")
    class Renewals {

        @Test
        void keptWhileItHoldsAndGoneAfterwards() {
            assertThat(judged(
                            acquire("a", 1, 0, 10),
                            kept("a", 1, 20, 30),
                            release("a", 1, 40, 50),
                            gone("a", 1, 60, 70)))
                    .isEqualTo(Kind.LINEARIZABLE);
        }

        @Test
        void eitherWhileTheReleaseIsUnderWay() {
            Operation[] section = {acquire("a", 1, 0, 10), release("a", 1, 20, 50)};

            assertThat(judged(section[0], section[1], kept("a", 1, 30, 40))).isEqualTo(Kind.LINEARIZABLE);
            assertThat(judged(section[0], section[1], gone("a", 1, 30, 40))).isEqualTo(Kind.LINEARIZABLE);
        }

        @Test
        void goneOfAHolderIsABug() {
            Verdict verdict =
                    check(Model.fencedMutex(), acquire("a", 1, 0, 10), gone("a", 1, 20, 30), release("a", 1, 40, 50));

            assertThat(verdict.kind()).isEqualTo(Kind.VIOLATION);
            assertThat(verdict.violations())
                    .anyMatch(text -> text.contains("This cannot follow: renew with token 1 by a, refused (20 to 30)"));
        }

        @Test
        void keptAfterTheReleaseIsABug() {
            assertThat(judged(acquire("a", 1, 0, 10), release("a", 1, 20, 30), kept("a", 1, 40, 50)))
                    .isEqualTo(Kind.VIOLATION);
        }

        @Test
        void keptAfterTheNextHolderIsABugEvenIfTheLeaseMayHaveEnded() {
            assertThat(judged(
                            acquire("a", 1, 0, 10), expire("a", 1, 15), acquire("b", 2, 20, 30), kept("a", 1, 40, 50)))
                    .isEqualTo(Kind.VIOLATION);
        }

        @Test
        void goneBeforeTheEndOfTheLeaseIsABugAndAnOverrunAfterwards() {
            Operation[] lease = {acquire("a", 1, 0, 10), expire("a", 1, 100)};

            assertThat(judged(lease[0], lease[1], gone("a", 1, 80, 90))).isEqualTo(Kind.VIOLATION);
            assertThat(judged(lease[0], lease[1], gone("a", 1, 80, 110))).isEqualTo(Kind.OVERRUN);
        }

        @Test
        void keptShowsThatAnAcquireWithoutAnswerHappened() {
            Operation kept = Operation.renew(Calls.NAME, "a", 1, OptionalLong.empty(), Outcome.GRANTED, 20, 30);

            assertThat(judged(acquireUnknown("a", 0), kept)).isEqualTo(Kind.LINEARIZABLE);
            assertThat(judged(acquireUnknown("a", 0), kept, acquire("b", 2, 40, 50)))
                    .isEqualTo(Kind.VIOLATION);
        }

        @Test
        void renewalWithFewerUnitsGivesTheOthersBackAndNeverTakesMore() {
            Model<?> semaphore = Model.semaphore(3);
            Operation all = acquire("a", 3, 1, 0, 10);

            assertThat(check(semaphore, all, kept("a", 1, 1, 20, 30), acquire("b", 2, 2, 40, 50))
                            .kind())
                    .isEqualTo(Kind.LINEARIZABLE);
            assertThat(check(semaphore, all, kept("a", 2, 1, 20, 30), acquire("b", 2, 2, 40, 50))
                            .kind())
                    .isEqualTo(Kind.VIOLATION);
            assertThat(check(semaphore, acquire("a", 1, 1, 0, 10), kept("a", 3, 1, 20, 30), acquire("b", 2, 2, 40, 50))
                            .kind())
                    .isEqualTo(Kind.LINEARIZABLE);
        }

        @Test
        void renewalWithFewerUnitsAndNoAnswerMayHaveHappened() {
            Operation fewer = Operation.renew(Calls.NAME, "a", 1, OptionalLong.of(1), Outcome.UNKNOWN, 20, 30);

            assertThat(check(Model.semaphore(3), acquire("a", 3, 1, 0, 10), fewer, acquire("b", 2, 2, 40, 50))
                            .kind())
                    .isEqualTo(Kind.LINEARIZABLE);
        }
    }

    @Nested
    @DisplayName("Revocation")
    class Revocations {

        private final Operation held = acquire("a", 1, 0, 10).withTokens(8);

        @Test
        void endsTheHoldWhoseBlockHasTheToken() {
            assertThat(judged(
                            held,
                            revoke(8, 20, 30),
                            gone("a", 1, 40, 50),
                            releaseRefused("a", 1, 40, 50),
                            revokeRefused(8, 40, 50),
                            acquire("b", 9, 60, 70)))
                    .isEqualTo(Kind.LINEARIZABLE);
        }

        @Test
        void revocationThatAnswersTrueHasEndedTheHold() {
            assertThat(judged(held, revoke(1, 20, 30), kept("a", 1, 40, 50))).isEqualTo(Kind.VIOLATION);
            assertThat(judged(held, revoke(1, 20, 30), release("a", 1, 40, 50))).isEqualTo(Kind.VIOLATION);
            assertThat(judged(held, revoke(1, 20, 30), revoke(1, 40, 50))).isEqualTo(Kind.VIOLATION);
        }

        @Test
        void revocationThatAnswersFalseHasEndedNothing() {
            assertThat(judged(held, revokeRefused(3, 20, 30))).isEqualTo(Kind.VIOLATION);
            assertThat(judged(held, revokeRefused(9, 20, 30), kept("a", 1, 40, 50)))
                    .isEqualTo(Kind.LINEARIZABLE);
            assertThat(judged(held, revokeRefused(9, 20, 30), acquire("b", 9, 40, 50)))
                    .isEqualTo(Kind.VIOLATION);
        }

        @Test
        void revocationOfATokenThatNobodyWasGivenIsABug() {
            assertThat(judged(held, revoke(9, 20, 30))).isEqualTo(Kind.VIOLATION);
        }

        @Test
        void releaseAndRevocationAtOnceEndTheHoldOnce() {
            assertThat(judged(held, release("a", 1, 20, 40), revokeRefused(1, 20, 40)))
                    .isEqualTo(Kind.LINEARIZABLE);
            assertThat(judged(held, releaseRefused("a", 1, 20, 40), revoke(1, 20, 40)))
                    .isEqualTo(Kind.LINEARIZABLE);
            assertThat(judged(held, release("a", 1, 20, 40), revoke(1, 20, 40))).isEqualTo(Kind.VIOLATION);
            assertThat(judged(held, releaseRefused("a", 1, 20, 40), revokeRefused(1, 20, 40)))
                    .isEqualTo(Kind.VIOLATION);
        }

        @Test
        void revocationWithoutAnswerMayHaveHappened() {
            assertThat(judged(held, revokeUnknown(5, 20), acquire("b", 9, 30, 40)))
                    .isEqualTo(Kind.LINEARIZABLE);
            assertThat(judged(held, acquire("b", 9, 20, 30), revokeUnknown(5, 40)))
                    .isEqualTo(Kind.VIOLATION);
        }

        @Test
        void revocationMayBeOfAnAcquireWithoutAnswer() {
            Operation kept = Operation.renew(Calls.NAME, "a", 1, OptionalLong.empty(), Outcome.GRANTED, 10, 20);

            assertThat(judged(acquireUnknown("a", 0), kept, revoke(4, 30, 40), acquire("b", 9, 50, 60)))
                    .isEqualTo(Kind.LINEARIZABLE);
        }

        @Test
        void revocationEndsOnePermitAndNoOther() {
            Model<?> semaphore = Model.semaphore(2);
            Operation[] both = {acquire("a", 1, 1, 0, 10), acquire("b", 1, 2, 0, 10), revoke(1, 20, 30)};

            assertThat(check(semaphore, both[0], both[1], both[2], kept("b", 2, 40, 50), acquire("c", 1, 3, 40, 50))
                            .kind())
                    .isEqualTo(Kind.LINEARIZABLE);
            assertThat(check(semaphore, both[0], both[1], both[2], gone("b", 2, 40, 50))
                            .kind())
                    .isEqualTo(Kind.VIOLATION);
        }
    }
}
