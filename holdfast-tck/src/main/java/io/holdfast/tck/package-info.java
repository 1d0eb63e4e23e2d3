/**
 * The kit that every store must pass, and what it records and checks. A binding extends {@link io.holdfast.tck.LockStoreTck}
 * and says how to open the store.
 */
@NullMarked
package io.holdfast.tck;

import org.jspecify.annotations.NullMarked;
