package io.holdfast.tck;

import static io.holdfast.tck.Calls.acquire;
import static io.holdfast.tck.Calls.acquireUnknown;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TokenBlocksTest {

    @Test
    void blocksThatFollowEachOtherAreFine() {
        assertThat(TokenBlocks.check(List.of(
                        acquire("a", 1, 0, 10).withTokens(8), acquire("b", 9, 20, 30), acquireUnknown("c", 40))))
                .isEmpty();
    }

    @Test
    void callsThatOverlapMayBeGrantedInEitherOrder() {
        assertThat(TokenBlocks.check(List.of(acquire("a", 9, 0, 30).withTokens(8), acquire("b", 1, 5, 30))))
                .isEmpty();
    }

    @Test
    void tokenInsideAnEarlierBlockIsFoundAlsoBeyondTheNeighbour() {
        assertThat(TokenBlocks.check(List.of(
                        acquire("a", 1, 0, 30).withTokens(20), acquire("b", 30, 0, 30), acquire("c", 15, 0, 30))))
                .singleElement()
                .asString()
                .startsWith("Token blocks overlap: acquire with tokens 1 to 20 by a")
                .contains("acquire with token 15 by c");
    }

    @Test
    void smallerTokensOfALaterClaimAreFound() {
        assertThat(TokenBlocks.check(
                        List.of(acquire("a", 10, 0, 10), acquire("b", 20, 5, 30), acquire("c", 5, 20, 30))))
                .singleElement()
                .asString()
                .startsWith("The later grant has the smaller tokens: acquire with token 5 by c")
                .contains("acquire with token 10 by a");
    }
}
