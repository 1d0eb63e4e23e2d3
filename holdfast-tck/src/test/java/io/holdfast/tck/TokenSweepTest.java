package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TokenSweepTest {

    @Test
    void turnsAreFine() {
        assertThat(TokenSweep.check(List.of(span(1, 0, 10), span(5, 10, 20), span(6, 25, 30))))
                .isEmpty();
    }

    @Test
    void overlapIsFoundAlsoBeyondTheNeighbour() {
        assertThat(TokenSweep.check(List.of(span(1, 0, 100), span(2, 100, 110), span(3, 50, 60))))
                .anyMatch(text -> text.startsWith("Two holders at once"));
        assertThat(TokenSweep.check(List.of(span(1, 0, 100), span(2, 10, 20), span(3, 30, 40))))
                .hasSize(2)
                .allMatch(text -> text.startsWith("Two holders at once"));
    }

    @Test
    void repeatedTokenIsFound() {
        assertThat(TokenSweep.check(List.of(span(1, 0, 10), span(1, 20, 30))))
                .singleElement()
                .asString()
                .startsWith("One token, two leases");
    }

    @Test
    void tokenAgainstTheOrderOfTimeIsFound() {
        assertThat(TokenSweep.check(List.of(span(2, 0, 10), span(1, 20, 30))))
                .anyMatch(text -> text.startsWith("The larger token began first"));
    }

    @Test
    void namesAreJudgedApart() {
        assertThat(TokenSweep.check(List.of(new Span("a", 1, "x", 0, 10), new Span("b", 1, "y", 0, 10))))
                .isEmpty();
    }

    @Test
    void whatIsExcusedIsNotReportedButATokenUsedTwiceIs() {
        List<Span> spans = List.of(span(1, 0, 10), span(2, 5, 15), span(2, 20, 30));

        assertThat(TokenSweep.check(spans, (earlier, later) -> true))
                .singleElement()
                .asString()
                .startsWith("One token, two leases");
    }

    @Test
    void anExcusedSpanDoesNotHideAnOverlapBehindIt() {
        List<Span> spans = List.of(span(1, 0, 100), span(2, 10, 20), span(3, 19, 30));

        assertThat(TokenSweep.check(spans, (earlier, later) -> earlier.token() == 1))
                .singleElement()
                .asString()
                .startsWith("Two holders at once")
                .contains("token 2", "token 3");
    }

    private static Span span(long token, long from, long to) {
        return new Span("name", token, "holder-" + token, from, to);
    }
}
