package io.holdfast.jdbc;

import io.holdfast.Holdfast;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * What an {@link Application} does with locks. All that goes in and out is of classes that every class loader has: {@code open
 * URL}, {@code use COUNT}, {@code close}, answered with {@code ok} or the message of what was thrown.
 */
final class LockUser implements Function<String, String> {

    private static final long SECTION_NANOS = 1_000_000;

    private final AtomicInteger inside;
    private final AtomicInteger overlaps;
    private final List<Holdfast> open = new ArrayList<>();

    LockUser(AtomicInteger inside, AtomicInteger overlaps) {
        this.inside = inside;
        this.overlaps = overlaps;
    }

    @Override
    public String apply(String command) {
        String[] words = command.split(" ", 2);
        try {
            switch (words[0]) {
                case "open" -> open.add(Holdfast.connect(words[1]));
                case "use" -> use(Integer.parseInt(words[1]));
                case "close" -> open.remove(open.size() - 1).close();
                default -> throw new IllegalArgumentException(command);
            }
            return "ok";
        } catch (RuntimeException thrown) {
            return thrown.getClass().getSimpleName() + ": " + thrown.getMessage();
        }
    }

    private void use(int count) {
        Holdfast holdfast = open.get(open.size() - 1);
        for (int i = 0; i < count; i++) {
            holdfast.lock("apples").run(lease -> {
                if (inside.incrementAndGet() > 1) {
                    overlaps.incrementAndGet();
                }
                // Long enough for another holder to overlap.
                LockSupport.parkNanos(SECTION_NANOS);
                inside.decrementAndGet();
            });
        }
    }
}
