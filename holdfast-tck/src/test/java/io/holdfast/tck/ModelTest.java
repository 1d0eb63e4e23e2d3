package io.holdfast.tck;

import static io.holdfast.tck.Calls.acquire;
import static io.holdfast.tck.Calls.acquireRefused;
import static io.holdfast.tck.Calls.acquireWithoutToken;
import static io.holdfast.tck.Calls.check;
import static io.holdfast.tck.Calls.release;
import static io.holdfast.tck.Calls.releaseRefused;
import static io.holdfast.tck.Calls.releaseWithoutToken;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Each model accepts what its lock does, and nothing else. */
class ModelTest {

    private static void accepted(Model<?> model, Operation... operations) {
        assertThat(check(model, operations).kind()).isEqualTo(Verdict.Kind.LINEARIZABLE);
        assertThat(check(model, operations).explanation()).isEmpty();
    }

    private static void rejected(String state, String stuck, Model<?> model, Operation... operations) {
        Verdict verdict = check(model, operations);
        assertThat(verdict.kind()).isEqualTo(Verdict.Kind.VIOLATION);
        assertThat(verdict.violations())
                .allMatch(text -> text.startsWith("'name': "))
                .anyMatch(text -> text.contains("The lock is then " + state))
                .anyMatch(text -> text.contains("This cannot follow: " + stuck));
    }

    @Nested
    @DisplayName("Mutex")
    class Mutex {

        private final Model<?> model = Model.mutex();

        @Test
        void overlappingCallsTakeTurns() {
            accepted(
                    model,
                    acquireWithoutToken("b", 1, 50),
                    acquireWithoutToken("a", 2, 10),
                    acquireRefused("c", 3, 9),
                    releaseWithoutToken("a", 20, 60),
                    releaseWithoutToken("b", 70, 80));
        }

        @Test
        void tokensNeedNotGrow() {
            accepted(model, acquire("a", 7, 0, 10), release("a", 7, 20, 30), acquire("b", 3, 40, 50));
        }

        @Test
        void twoHoldersAreFound() {
            rejected(
                    "held by a",
                    "acquire by b, granted (20 to 30)",
                    model,
                    acquireWithoutToken("a", 0, 10),
                    acquireWithoutToken("b", 20, 30),
                    releaseWithoutToken("a", 40, 50));
        }

        @Test
        void reentryIsFound() {
            rejected(
                    "held by a",
                    "acquire by a",
                    model,
                    acquireWithoutToken("a", 0, 10),
                    acquireWithoutToken("a", 20, 30));
        }

        @Test
        void releaseByAStrangerIsFound() {
            rejected(
                    "held by a",
                    "release by b, granted",
                    model,
                    acquireWithoutToken("a", 0, 10),
                    releaseWithoutToken("b", 20, 30));
        }

        @Test
        void releaseByTheHolderMustNotBeRefused() {
            rejected(
                    "held by a",
                    "release with token 1 by a, refused",
                    model,
                    acquire("a", 1, 0, 10),
                    releaseRefused("a", 1, 20, 30));
        }
    }

    @Nested
    @DisplayName("Re-entrant mutex")
    class ReentrantMutex {

        private final Model<?> model = Model.reentrantMutex(2);

        @Test
        void holderEntersAgainAndGivesBackAsOften() {
            accepted(
                    model,
                    acquireWithoutToken("a", 0, 10),
                    acquireWithoutToken("a", 20, 30),
                    acquireWithoutToken("b", 25, 90),
                    releaseWithoutToken("a", 40, 50),
                    releaseWithoutToken("a", 60, 80));
        }

        @Test
        void holdBeyondTheLimitIsFound() {
            rejected(
                    "held by a 2 times",
                    "acquire by a",
                    model,
                    acquireWithoutToken("a", 0, 10),
                    acquireWithoutToken("a", 20, 30),
                    acquireWithoutToken("a", 40, 50));
        }

        @Test
        void entryBeforeTheLastReleaseIsFound() {
            rejected(
                    "held by a",
                    "acquire by b",
                    model,
                    acquireWithoutToken("a", 0, 10),
                    acquireWithoutToken("a", 20, 30),
                    releaseWithoutToken("a", 40, 50),
                    acquireWithoutToken("b", 60, 70));
        }
    }

    @Nested
    @DisplayName("Fenced mutex")
    class FencedMutex {

        private final Model<?> model = Model.fencedMutex();

        @Test
        void tokensGrowWithEachHolder() {
            accepted(
                    model,
                    acquire("b", 9, 1, 50),
                    acquire("a", 5, 2, 10),
                    release("a", 5, 20, 60),
                    release("b", 9, 70, 80));
        }

        @Test
        void tokenThatDoesNotGrowIsFound() {
            rejected(
                    "free, highest token so far 5",
                    "acquire with token 5 by b",
                    model,
                    acquire("a", 5, 0, 10),
                    release("a", 5, 20, 30),
                    acquire("b", 5, 40, 50));
        }

        @Test
        void releaseWithTheTokenOfAnEarlierHoldIsFound() {
            rejected(
                    "held by a with token 6",
                    "release with token 5 by a",
                    model,
                    acquire("a", 5, 0, 10),
                    release("a", 5, 20, 30),
                    acquire("a", 6, 40, 50),
                    release("a", 5, 60, 70));
        }

        @Test
        void namesAreJudgedApart() {
            Operation other = acquire("b", 1, 0, 10);
            assertThat(check(
                                    model,
                                    acquire("a", 1, 0, 10),
                                    Operation.acquire("other", "b", 1, other.token(), other.outcome(), 0, 10))
                            .kind())
                    .isEqualTo(Verdict.Kind.LINEARIZABLE);
        }
    }

    @Nested
    @DisplayName("Re-entrant fenced mutex")
    class ReentrantFencedMutex {

        private final Model<?> model = Model.reentrantFencedMutex(3);

        @Test
        void reentryHasTheSameToken() {
            accepted(
                    model,
                    acquire("a", 5, 0, 10),
                    acquire("a", 5, 20, 30),
                    release("a", 5, 40, 50),
                    release("a", 5, 60, 70),
                    acquire("b", 6, 55, 80));
        }

        @Test
        void reentryWithAnotherTokenIsFound() {
            rejected(
                    "held by a with token 5",
                    "acquire with token 6 by a",
                    model,
                    acquire("a", 5, 0, 10),
                    acquire("a", 6, 20, 30));
        }

        @Test
        void oldTokenAfterTheLastReleaseIsFound() {
            rejected(
                    "free, highest token so far 5",
                    "acquire with token 5 by a",
                    model,
                    acquire("a", 5, 0, 10),
                    release("a", 5, 20, 30),
                    acquire("a", 5, 40, 50));
        }
    }

    @Nested
    @DisplayName("Read/write")
    class ReadWrite {

        private final Model<?> model = Model.readWrite(10);

        @Test
        void readersShareAndWritersAreAlone() {
            accepted(
                    model,
                    acquire("w", 10, 1, 0, 10),
                    release("w", 1, 20, 30),
                    acquire("r", 2, 20, 40),
                    acquire("q", 2, 20, 40),
                    acquire("v", 10, 3, 45, 90),
                    release("r", 2, 50, 60),
                    release("q", 2, 50, 60));
        }

        @Test
        void writerBesideAReaderIsFound() {
            rejected(
                    "1 taken by [r with token 1 (1)]",
                    "acquire of 10 with token 2 by w",
                    model,
                    acquire("r", 1, 0, 10),
                    acquire("w", 10, 2, 20, 30),
                    release("r", 1, 40, 50));
        }

        @Test
        void readerBesideAWriterIsFound() {
            rejected(
                    "10 taken by [w with token 1 (10)]",
                    "acquire with token 2 by r",
                    model,
                    acquire("w", 10, 1, 0, 10),
                    acquire("r", 2, 20, 30));
        }

        @Test
        void writerWhoseTokenDoesNotGrowIsFound() {
            rejected(
                    "free, highest token so far 4",
                    "acquire of 10 with token 3 by v",
                    model,
                    acquire("w", 10, 4, 0, 10),
                    release("w", 4, 20, 30),
                    acquire("v", 10, 3, 40, 50));
        }
    }

    @Nested
    @DisplayName("Semaphore")
    class Semaphore {

        private final Model<?> model = Model.semaphore(3);

        @Test
        void permitsAreSharedWhileTheyFit() {
            accepted(
                    model,
                    acquire("a", 2, 7, 0, 10),
                    acquire("a", 1, 3, 0, 10),
                    acquire("b", 2, 5, 20, 60),
                    release("a", 7, 30, 40),
                    release("a", 3, 70, 80),
                    release("b", 5, 70, 80));
        }

        @Test
        void overIssueIsFound() {
            rejected(
                    "2 taken by [a with token 1 (2)]",
                    "acquire of 2 with token 2 by b",
                    model,
                    acquire("a", 2, 1, 0, 10),
                    acquire("b", 2, 2, 20, 30));
        }

        @Test
        void permitCountedTwiceOnReleaseIsFound() {
            rejected(
                    "1 taken by [b with token 2 (1)]",
                    "release with token 1 by a",
                    model,
                    acquire("a", 2, 1, 0, 10),
                    acquire("b", 1, 2, 0, 10),
                    release("a", 1, 20, 30),
                    release("a", 1, 40, 50));
        }
    }
}
