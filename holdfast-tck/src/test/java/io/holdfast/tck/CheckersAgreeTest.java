package io.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.tck.Operation.Kind;
import io.holdfast.tck.Operation.Outcome;
import io.holdfast.tck.RandomSections.Section;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Three ways to the same verdict: the search, the sweep where it applies, and trying every order where it is short. */
class CheckersAgreeTest {

    private static final int HISTORIES = 5_000;

    private static final List<Kind> KINDS =
            List.of(Kind.ACQUIRE, Kind.ACQUIRE, Kind.RELEASE, Kind.RELEASE, Kind.EXPIRE, Kind.RENEW, Kind.REVOKE);

    @Test
    void searchAndSweepAgreeOnExclusiveHistories() {
        int wrong = 0;
        for (int seed = 0; seed < HISTORIES; seed++) {
            Random random = new Random(seed);
            List<Section> sections = RandomSections.of(random, 2 + random.nextInt(6), 2 + random.nextInt(30));
            for (int i = random.nextInt(3); i > 0; i--) {
                spoil(sections, random);
            }
            List<String> swept =
                    TokenSweep.check(sections.stream().map(Section::span).toList());
            Verdict verdict = Linearizability.check(Model.fencedMutex(), RandomSections.operations(sections));

            assertThat(verdict.violations().isEmpty())
                    .as("seed %s: the sweep says %s, the search %s", seed, swept, verdict)
                    .isEqualTo(swept.isEmpty());
            wrong += swept.isEmpty() ? 0 : 1;
        }
        assertThat(wrong).as("histories that are wrong").isBetween(HISTORIES / 4, HISTORIES * 3 / 4);
    }

    /** Does not always do harm. */
    private static void spoil(List<Section> sections, Random random) {
        int at = random.nextInt(sections.size());
        int other = random.nextInt(sections.size());
        Section section = sections.get(at);
        switch (random.nextInt(4)) {
            case 0 -> {
                sections.set(at, section.withToken(sections.get(other).token()));
                sections.set(other, sections.get(other).withToken(section.token()));
            }
            case 1 -> sections.set(at, section.withToken(section.token() + random.nextInt(2)));
            case 2 -> sections.set(at, section.held(section.from() - random.nextInt(15), section.to()));
            default -> sections.set(at, section.held(section.from(), section.to() + random.nextInt(15)));
        }
    }

    @Test
    void searchFindsAnOrderIfAndOnlyIfThereIsOne() {
        List<Model<?>> models = List.of(
                Model.mutex(),
                Model.reentrantMutex(2),
                Model.fencedMutex(),
                Model.reentrantFencedMutex(2),
                Model.readWrite(2),
                Model.semaphore(2));
        int[] possible = new int[models.size()];
        for (int seed = 0; seed < HISTORIES; seed++) {
            List<Operation> operations = anything(new Random(seed));
            for (int i = 0; i < possible.length; i++) {
                possible[i] += agreed(models.get(i), operations, seed);
            }
        }
        assertThat(Arrays.stream(possible))
                .as("histories that have an order, per model")
                .allMatch(count -> count > HISTORIES / 50 && count < HISTORIES * 49 / 50);
    }

    private static <S> int agreed(Model<S> model, List<Operation> operations, int seed) {
        boolean possible = anyOrder(model, model.initial(), operations);
        assertThat(new OrderSearch<>(model, operations).succeeds())
                .as("seed %s, %s: an order of %s", seed, model, operations)
                .isEqualTo(possible);
        return possible ? 1 : 0;
    }

    private static <S> boolean anyOrder(Model<S> model, S state, List<Operation> left) {
        long firstReturn = left.stream()
                .filter(each -> !each.mayNotHaveHappened())
                .mapToLong(Operation::returned)
                .min()
                .orElse(Long.MIN_VALUE);
        if (firstReturn == Long.MIN_VALUE) {
            return true;
        }
        for (Operation next : left) {
            Optional<S> after = next.called() <= firstReturn ? model.after(state, next) : Optional.empty();
            if (after.isPresent()) {
                List<Operation> rest = new ArrayList<>(left);
                rest.remove(next);
                if (anyOrder(model, after.get(), rest)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** No lock was asked for this; but with so few clients and tokens, some of it makes sense. */
    private static List<Operation> anything(Random random) {
        List<Operation> operations = new ArrayList<>();
        for (int i = 2 + random.nextInt(6); i > 0; i--) {
            Kind kind = KINDS.get(random.nextInt(KINDS.size()));
            Outcome outcome = kind == Kind.EXPIRE || (kind != Kind.RENEW && random.nextInt(3) == 0)
                    ? Outcome.UNKNOWN
                    : kind != Kind.ACQUIRE && random.nextInt(5) == 0 ? Outcome.REFUSED : Outcome.GRANTED;
            boolean known = kind == Kind.REVOKE
                    || (!(kind == Kind.ACQUIRE && outcome == Outcome.UNKNOWN) && random.nextInt(4) > 0);
            long called = 10L * i + random.nextInt(40);
            operations.add(new Operation(
                    kind,
                    Calls.NAME,
                    "client-" + random.nextInt(2),
                    kind == Kind.ACQUIRE || kind == Kind.RENEW ? 1 + random.nextInt(4) / 3 : 1,
                    known ? OptionalLong.of(1 + random.nextInt(3)) : OptionalLong.empty(),
                    1 + random.nextInt(4) / 3,
                    outcome,
                    called,
                    called + random.nextInt(60)));
        }
        return operations;
    }
}
