package io.holdfast.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.soak.FencedWrites.Entry;
import io.holdfast.soak.Write.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FencedWritesTest {

    private final Entry first = new Entry(10, "p1.t1-1", 0);
    private final Entry second = new Entry(20, "p2.t1-1", 1);
    private final Write firstTold = told(first, Outcome.ACCEPTED);
    private final Write secondTold = told(second, Outcome.ACCEPTED);

    @Test
    void whatWasAcceptedIsThereInTheOrderOfTokens() {
        assertThat(check(List.of(first, second), firstTold, secondTold)).isEmpty();
    }

    @Test
    void anAcceptedWriteThatIsNotThereIsFound() {
        assertThat(check(List.of(first), firstTold, secondTold))
                .singleElement()
                .asString()
                .startsWith("Accepted, and not there");
    }

    @Test
    void aRejectedWriteThatIsThereIsFound() {
        assertThat(check(List.of(first, second), firstTold, told(second, Outcome.REJECTED)))
                .singleElement()
                .asString()
                .startsWith("Rejected, and there");
    }

    @Test
    void aWriteOfUnknownOutcomeMayBeThereOrNot() {
        assertThat(check(List.of(first, second), firstTold, told(second, Outcome.UNKNOWN)))
                .isEmpty();
        assertThat(check(List.of(first), firstTold, told(second, Outcome.UNKNOWN)))
                .isEmpty();
    }

    @Test
    void aSmallerTokenAfterALargerOneIsFound() {
        Entry late = new Entry(5, "p2.t1-1", 1);
        assertThat(check(List.of(first, late), firstTold, told(late, Outcome.ACCEPTED)))
                .singleElement()
                .asString()
                .startsWith("A smaller token after a larger one");
    }

    @Test
    void aWriterThatHadNotSeenAllIsFound() {
        Entry blind = new Entry(20, "p2.t1-1", 0);
        assertThat(check(List.of(first, blind), firstTold, told(blind, Outcome.ACCEPTED)))
                .singleElement()
                .asString()
                .startsWith("Lost update");
    }

    @Test
    void onlyAProcessThatWasKilledMayWriteWithoutHavingTold() {
        assertThat(check(List.of(first, second), firstTold))
                .singleElement()
                .asString()
                .startsWith("Nobody has");
        assertThat(FencedWrites.check(Map.of("a", List.of(first, second)), List.of(firstTold), Set.of("p2")))
                .isEmpty();
    }

    @Test
    void whatWasWrittenTwiceIsFound() {
        Entry again = new Entry(10, "p1.t1-1", 1);
        assertThat(check(List.of(first, again), firstTold))
                .singleElement()
                .asString()
                .startsWith("Written twice");
    }

    private static Write told(Entry entry, Outcome outcome) {
        return new Write("a", entry.id(), entry.token(), outcome);
    }

    private static List<String> check(List<Entry> data, Write... writes) {
        return FencedWrites.check(Map.of("a", data), List.of(writes), Set.of());
    }
}
