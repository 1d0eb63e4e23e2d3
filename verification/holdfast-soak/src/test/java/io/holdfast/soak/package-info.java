/** Shows that the soak finds what it looks for, and that Holdfast passes. */
@NullMarked
package io.holdfast.soak;

import org.jspecify.annotations.NullMarked;
