/** What several tests use. */
@NullMarked
package io.holdfast.testing;

import org.jspecify.annotations.NullMarked;
