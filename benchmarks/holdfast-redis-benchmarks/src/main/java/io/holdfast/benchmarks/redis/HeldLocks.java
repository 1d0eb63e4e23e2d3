package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Locks;
import java.util.List;

/** Locks that can be held in large numbers. */
interface HeldLocks extends Locks {

    /** How many of these names are held by anybody, as the server sees it. */
    long held(List<String> names);
}
