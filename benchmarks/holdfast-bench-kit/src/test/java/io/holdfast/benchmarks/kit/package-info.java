/** Tests that nothing is lost between JVMs, and that tables and pages are right. No test measures time. */
@NullMarked
package io.holdfast.benchmarks.kit;

import org.jspecify.annotations.NullMarked;
