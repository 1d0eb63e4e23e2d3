/**
 * Measures locks beside the locks one would write by hand. Contestants take turns, each in a JVM of its own, and what is
 * reported are ratios between neighbours in time.
 */
@NullMarked
package io.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
