/**
 * Measures locks in databases beside other libraries and beside the bare statements, all on servers that are started for it.
 * Contestants take turns, each in JVMs of its own, and what counts are ratios between neighbours in time.
 */
@NullMarked
package io.holdfast.benchmarks.jdbc;

import org.jspecify.annotations.NullMarked;
