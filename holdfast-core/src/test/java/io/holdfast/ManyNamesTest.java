package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Idle names leave nothing behind. */
class ManyNamesTest {

    private static final int NAMES = 1_000_000;
    private static final int HELD = 100_000;

    @Test
    void millionNamesLockedOnceLeaveTheHeapAsItWas() {
        try (Holdfast holdfast = Holdfast.connect("memory:")) {
            use(holdfast, 1_000);
            long before = usedHeap();
            use(holdfast, NAMES);
            long after = usedHeap();

            System.out.printf("names: heap before %,d B, after %,d names %,d B%n", before, NAMES, after);
            assertThat(holdfast.inspect("", 10)).isEmpty();
            assertThat(after - before)
                    .as("bytes left behind by a million names")
                    .isLessThan(1_000_000);
        }
    }

    @Test
    void heldNameCostsLittle() {
        // Collections of garbage take long on a busy machine: longer than a lease of a few seconds.
        LockOptions hour = LockOptions.builder().leaseTime(Duration.ofHours(1)).build();
        try (Holdfast holdfast = Holdfast.builder("memory:").defaults(hour).build()) {
            use(holdfast, 1_000);
            List<String> names = new ArrayList<>();
            for (int i = 0; i < HELD; i++) {
                names.add("held:" + i);
            }
            List<Lease> leases = new ArrayList<>(HELD);
            long before = usedHeap();
            for (String name : names) {
                leases.add(holdfast.lock(name).acquire());
            }
            long each = (usedHeap() - before) / HELD;

            System.out.printf("names: %,d B of heap per held name%n", each);
            assertThat(each).isLessThan(1_500);
            leases.forEach(Lease::close);
        }
    }

    private static void use(Holdfast holdfast, int names) {
        for (int i = 0; i < names; i++) {
            holdfast.lock("name:" + i).run(lease -> {});
        }
    }

    /** The least of a few readings, each after a collection. */
    private static long usedHeap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            least = Math.min(
                    least,
                    Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return least;
    }
}
