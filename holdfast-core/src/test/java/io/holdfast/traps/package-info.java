/** One test per trap: the naive version falls into it, Holdfast does not. */
@NullMarked
package io.holdfast.traps;

import org.jspecify.annotations.NullMarked;
