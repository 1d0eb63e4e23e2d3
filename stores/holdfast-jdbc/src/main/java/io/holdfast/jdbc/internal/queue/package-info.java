/** The wait queue in a row of the lease table, and the notifications to waiters. */
@NullMarked
package io.holdfast.jdbc.internal.queue;

import org.jspecify.annotations.NullMarked;
