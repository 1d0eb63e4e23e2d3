package io.holdfast.benchmarks.kit;

import java.util.List;

/** Locks that can be held in large numbers. */
public interface HeldLocks extends Locks {

    /** How many of these names are held by anybody, as the server sees it. */
    long held(List<String> names);
}
