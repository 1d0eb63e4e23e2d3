/** Tests that contestants do what they are measured for, and that tables are right. No test measures time. */
@NullMarked
package io.holdfast.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
