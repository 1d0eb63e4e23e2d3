/** Tests that servers start, fail and end as they say, and that the network fails as it says. */
@NullMarked
package io.holdfast.servers;

import org.jspecify.annotations.NullMarked;
