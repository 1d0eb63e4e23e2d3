/**
 * The engine under chosen interleavings of two threads: a {@code *Check} says what threads may do and what must be true of it,
 * and Lincheck decides when to switch between them. The package is that of the engine, whose parts are checked.
 *
 * <p>There is no jcstress: what threads share in the engine is final, volatile or guarded by a mutex, and leases get to their
 * users through futures, so there is no plain racing read that it could try.
 */
@NullMarked
package io.holdfast.lincheck;

import org.jspecify.annotations.NullMarked;
