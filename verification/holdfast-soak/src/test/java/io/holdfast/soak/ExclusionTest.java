package io.holdfast.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Claim;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ExclusionTest {

    private static final Map<String, Integer> CAPACITIES = Map.of("a", 1, "rw", Claim.READ_WRITE, "pool", 3);

    private final Losses losses = new Losses();

    @Test
    void oneAfterTheOtherIsRight() {
        assertThat(check(owner(1_000, 10, 20), owner(2_000, 20, 30), owner(3_000, 31, 31)))
                .isEmpty();
    }

    @Test
    void twoOwnersAtOnceAreFound() {
        assertThat(check(owner(1_000, 10, 20), owner(2_000, 19, 30)))
                .anyMatch(each -> each.startsWith("Two holders at once"))
                .anyMatch(each -> each.startsWith("More out than there is (2 of 1)"));
    }

    @Test
    void anOwnerWhoNeverBelievedIsInNobodysWay() {
        assertThat(check(owner(1_000, 10, 9), owner(2_000, 5, 30))).isEmpty();
    }

    @Test
    void theHolderBeforeALossIsExcusedAndTheOnesAfterItAreNot() {
        losses.ofAll(15, 1_500);
        assertThat(check(owner(1_000, 10, 40), owner(2_000, 20, 30))).isEmpty();
        assertThat(check(owner(1_000, 10, 40), owner(2_000, 20, 30), owner(2_500, 29, 35)))
                .anyMatch(each -> each.startsWith("More out than there is (2 of 1)"));
    }

    @Test
    void aLossThatCameLaterIsNoExcuse() {
        losses.ofAll(50, 5_000);
        assertThat(check(owner(1_000, 10, 20), owner(2_000, 19, 30))).isNotEmpty();
    }

    @Test
    void aHolderWhoseSessionHasEndedIsExcused() {
        losses.ofSession("a", 1_000, 1_063, 15, 16);
        assertThat(check(owner(1_000, 10, 40), owner(2_000, 20, 30))).isEmpty();
    }

    @Test
    void aHolderWhoseSessionHasNotEndedIsNotExcused() {
        losses.ofSession("b", 1_000, 1_063, 15, 16);
        losses.ofSession("a", 500, 563, 15, 16);
        assertThat(check(owner(1_000, 10, 40), owner(2_000, 20, 30)))
                .anyMatch(each -> each.startsWith("Two holders at once"))
                .anyMatch(each -> each.startsWith("More out than there is (2 of 1)"));
    }

    @Test
    void aSessionThatEndedAfterTheOtherHadItIsNoExcuse() {
        losses.ofSession("a", 1_000, 1_063, 25, 26);
        losses.ofSessions(25, 9_000, 9_000, 26);
        assertThat(check(owner(1_000, 10, 40), owner(2_000, 20, 30)))
                .anyMatch(each -> each.startsWith("Two holders at once"));
    }

    @Test
    void theHoldersBeforeAllSessionsEndedAreExcusedAndTheOnesAfterItAreNot() {
        losses.ofSessions(15, 1_500, 1_500, 16);
        assertThat(check(owner(1_000, 10, 40), owner(2_000, 20, 30))).isEmpty();
        assertThat(check(owner(2_000, 20, 30), owner(3_000, 25, 35)))
                .anyMatch(each -> each.startsWith("Two holders at once"));
    }

    @Test
    void nobodyWhoseSessionHasEndedMayBelieveForLongerThanALease() {
        long ended = 16;
        long tooLong = ended + Names.LONGEST_LEASE.toNanos() + 1;
        losses.ofSession("a", 1_000, 1_063, 15, ended);
        losses.ofSessions(15, 1_500, 1_500, ended);
        assertThat(check(owner(1_000, 10, tooLong), owner(2_000, 20, 30)))
                .anyMatch(each -> each.startsWith("Two holders at once"));
    }

    @Test
    void aSessionThatEndedExcusesNoEqualTokens() {
        losses.ofSession("a", 1_000, 1_063, 15, 16);
        assertThat(check(owner(1_000, 10, 40), owner(1_000, 20, 30)))
                .anyMatch(each -> each.startsWith("One token, two leases"));
    }

    @Test
    void readersMayMeetAndAWriterMayNot() {
        Section one = new Section(Role.READER, "rw", 1, 1_000, "p1", 0, 10, 20);
        Section other = new Section(Role.READER, "rw", 1, 2_000, "p2", 0, 11, 21);
        Section writer = new Section(Role.WRITER, "rw", Claim.READ_WRITE, 3_000, "p3", 0, 19, 30);
        assertThat(check(one, other)).isEmpty();
        assertThat(check(one, other, writer)).singleElement().asString().startsWith("More out than there is");
    }

    @Test
    void morePermitsThanThereAreAreFound() {
        Section two = new Section(Role.PERMITS, "pool", 2, 1_000, "p1", 0, 10, 20);
        Section one = new Section(Role.PERMITS, "pool", 1, 2_000, "p2", 0, 11, 21);
        Section another = new Section(Role.PERMITS, "pool", 1, 3_000, "p3", 0, 12, 22);
        assertThat(check(two, one)).isEmpty();
        assertThat(check(two, one, another)).singleElement().asString().startsWith("More out than there is (4 of 3)");
    }

    private List<String> check(Section... sections) {
        return new Exclusion(losses).check(List.of(sections), CAPACITIES);
    }

    private static Section owner(long token, long from, long to) {
        return new Section(Role.OWNER, "a", 1, token, "p" + token, from - 1, from, to);
    }
}
