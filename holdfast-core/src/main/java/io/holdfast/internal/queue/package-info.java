/** The local queue of a name: waiters, pending claims, held grants and their deadlines. No promise to users. */
@NullMarked
package io.holdfast.internal.queue;

import org.jspecify.annotations.NullMarked;
