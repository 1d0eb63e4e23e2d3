/** Tests that sections come to an end, and that what servers tell is read as they mean it. No test measures time. */
@NullMarked
package io.holdfast.benchmarks.jdbc;

import org.jspecify.annotations.NullMarked;
