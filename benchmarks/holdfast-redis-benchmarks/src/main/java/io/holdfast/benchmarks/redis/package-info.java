/**
 * Measures locks on Redis beside other libraries and beside the bare commands, all on one server that is started for it.
 * Contestants take turns, each in JVMs of its own, and what counts are ratios between neighbours in time.
 */
@NullMarked
package io.holdfast.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
