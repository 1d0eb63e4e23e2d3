package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SharedTokensTest {

    private static Span span(long token, long from, long to) {
        return new Span("name", token, "holder-" + token, from, to);
    }

    @Test
    void readersShareATokenBetweenTwoWriters() {
        assertThat(SharedTokens.checkReadersAndWriters(
                        List.of(span(5, 20, 40), span(5, 30, 50)), List.of(span(1, 0, 10), span(9, 60, 70))))
                .isEmpty();
    }

    @Test
    void readerWithATokenBelowAnEarlierWritersIsFound() {
        assertThat(SharedTokens.checkReadersAndWriters(List.of(span(1, 20, 30)), List.of(span(5, 0, 10))))
                .singleElement()
                .asString()
                .startsWith("The larger token began before the end of the smaller one");
    }

    @Test
    void readerWithTheTokenOfAWriterIsFound() {
        assertThat(SharedTokens.checkReadersAndWriters(List.of(span(5, 20, 30)), List.of(span(5, 0, 10))))
                .singleElement()
                .asString()
                .startsWith("A reader and a writer have one token");
    }

    @Test
    void readerBesideAWriterIsFound() {
        assertThat(SharedTokens.checkReadersAndWriters(List.of(span(6, 5, 30)), List.of(span(5, 0, 10))))
                .hasSize(1);
    }

    @Test
    void tokenOfTwoPermitsIsFound() {
        assertThat(SharedTokens.checkPermits(List.of(span(1, 0, 10), span(2, 0, 10))))
                .isEmpty();
        assertThat(SharedTokens.checkPermits(List.of(span(1, 0, 10), span(2, 0, 10), span(1, 20, 30))))
                .singleElement()
                .asString()
                .startsWith("Two leases of permits have one token");
    }
}
