/**
 * The code that the documents show. What stands between {@code // region} and {@code // endregion} is in a document word
 * for word; the build compares them, and the tests run it.
 */
@NullMarked
package io.holdfast.samples;

import org.jspecify.annotations.NullMarked;
