/** Mutation testing of the engine: what PIT runs in addition to the core's unit tests. */
@NullMarked
package io.holdfast.mutation;

import org.jspecify.annotations.NullMarked;
