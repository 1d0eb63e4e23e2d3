package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "virtual threads came with Java 21")
class VirtualThreadsTest {

    @Test
    void tenThousandVirtualThreadsTakeTurnsOnOneName() throws Exception {
        int threads = 10_000;
        int[] unguarded = {0};
        CountDownLatch done = new CountDownLatch(threads);
        try (Holdfast holdfast = Holdfast.builder("memory:")
                .defaults(LockOptions.builder().maxWait(LockOptions.FOREVER).build())
                .build()) {
            DistributedLock lock = holdfast.lock("a");
            ExecutorService executor = virtualThreads();
            for (int i = 0; i < threads; i++) {
                executor.execute(() -> {
                    lock.run(lease -> unguarded[0]++);
                    done.countDown();
                });
            }
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
            executor.shutdown();
        }

        assertThat(unguarded[0]).isEqualTo(threads);
    }

    /** The code is compiled for 17, which does not know them. */
    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
