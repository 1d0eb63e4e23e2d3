/**
 * What benchmarks have in common. Contestants take turns, each in JVMs of its own that are forked for it, and what counts are
 * ratios between neighbours in time.
 */
@NullMarked
package io.holdfast.benchmarks.kit;

import org.jspecify.annotations.NullMarked;
