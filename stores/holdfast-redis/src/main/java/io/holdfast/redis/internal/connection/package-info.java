/** Connections to Redis by Lettuce: for requests, and for the pub/sub messages that notify waiters. No promise of compatibility. */
@NullMarked
package io.holdfast.redis.internal.connection;

import org.jspecify.annotations.NullMarked;
