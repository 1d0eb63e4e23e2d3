package io.holdfast.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What threads allocate. */
final class Allocation {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    /** Bytes since the thread began; the same number again and again on a virtual thread, for which nobody counts. */
    static long ofThisThread() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }
}
