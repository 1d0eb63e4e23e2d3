package io.holdfast.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TokenOrderTest {

    private final Losses losses = new Losses();

    @Test
    void growingTokensAreRight() {
        assertThat(check(owner(1_000, 0, 10), owner(2_000, 20, 30))).isEmpty();
    }

    @Test
    void aTokenThatDoesNotGrowIsFound() {
        assertThat(check(owner(2_000, 0, 10), owner(1_000, 20, 30)))
                .singleElement()
                .asString()
                .startsWith("The token does not grow");
    }

    @Test
    void callsThatOverlapMayBeGivenInAnyOrder() {
        assertThat(check(owner(2_000, 0, 10), owner(1_000, 9, 30))).isEmpty();
    }

    @Test
    void equalTokensAreFoundEvenAfterALoss() {
        losses.ofAll(5, 1_000);
        assertThat(check(owner(1_000, 0, 10), owner(1_000, 20, 30)))
                .singleElement()
                .asString()
                .startsWith("One token, two leases");
    }

    @Test
    void aWriterAfterAReaderHasALargerToken() {
        Section reader = new Section(Role.READER, "a", 1, 2_000, "p1", 0, 10, 15);
        Section writer = new Section(Role.WRITER, "a", 1, 1_000, "p2", 20, 30, 35);
        assertThat(check(reader, writer)).isNotEmpty();
    }

    @Test
    void tokensThatBeginAnewAfterALossAreFound() {
        losses.ofAll(15, 1_500_000);
        assertThat(check(owner(1_000_000, 0, 10), owner(1, 20, 30))).isNotEmpty();
    }

    @Test
    void whatWasGrantedBeforeALossMayBePassedOnAfterIt() {
        losses.ofAll(15, 1_500_000);
        assertThat(check(owner(2_000_000, 16, 18), owner(1_000_001, 20, 30))).isEmpty();
    }

    @Test
    void anExcusedTokenDoesNotHideAnother() {
        losses.ofAll(15, 1_500_000);
        assertThat(check(owner(2_000_000, 16, 18), owner(1_100_000, 5, 8), owner(1_000_000, 20, 30)))
                .singleElement()
                .asString()
                .contains("1100000");
    }

    @Test
    void whatASessionHadMayBePassedOnAfterItsEndAndNothingElse() {
        losses.ofSession("a", 1_000, 1_063, 15, 16);
        assertThat(check(owner(2_000, 16, 18), owner(1_001, 20, 30))).isEmpty();
        assertThat(check(owner(2_000, 16, 18), owner(1_064, 20, 30))).isNotEmpty();
        assertThat(check(owner(1_050, 16, 18), owner(1_001, 20, 30))).isNotEmpty();
    }

    /** The first session ended, another one was granted its lock, and then ended, too. */
    @Test
    void whatASessionHadMayBePassedOnWhileAllEnd() {
        losses.ofSessions(15, 1_500, 1_900, 19);
        assertThat(check(owner(1_600, 16, 17), owner(1_400, 20, 30))).isEmpty();
        assertThat(check(owner(1_450, 16, 17), owner(1_400, 20, 30))).isNotEmpty();
    }

    private List<String> check(Section... sections) {
        return new TokenOrder(losses).check(List.of(sections));
    }

    private static Section owner(long token, long called, long from) {
        return new Section(Role.OWNER, "a", 1, token, "p" + called, called, from, from + 1);
    }
}
