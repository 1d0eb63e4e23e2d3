/** The removal of rows that are no longer used. */
@NullMarked
package io.holdfast.jdbc.internal.sweep;

import org.jspecify.annotations.NullMarked;
