package io.holdfast.architecture.bad;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Keeps state of the whole JVM. */
@SuppressWarnings({"unused", "NonFinalStaticField"})
public final class ChangesStatics {

    static int notFinal = 1;

    private static final Map<String, String> MAP = new HashMap<>();
    private static final List<String> LIST = new ArrayList<>();
    private static final AtomicLong COUNTER = new AtomicLong();
    private static final ThreadLocal<String> PER_THREAD = new ThreadLocal<>();
    private static final int[] ARRAY = {1};

    private ChangesStatics() {}
}
