/**
 * Locks by name, with leases and fencing tokens: what users of Holdfast import. Start at {@link io.holdfast.Holdfast}.
 */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
