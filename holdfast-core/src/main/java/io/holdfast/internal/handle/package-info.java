/** The objects that users hold: locks, semaphores, lock sets, leases, elections. No promise to users. */
@NullMarked
package io.holdfast.internal.handle;

import org.jspecify.annotations.NullMarked;
