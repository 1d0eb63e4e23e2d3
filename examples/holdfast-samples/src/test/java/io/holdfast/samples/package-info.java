/** Runs the samples, so that they are true and not only compiled. */
@NullMarked
package io.holdfast.samples;

import org.jspecify.annotations.NullMarked;
