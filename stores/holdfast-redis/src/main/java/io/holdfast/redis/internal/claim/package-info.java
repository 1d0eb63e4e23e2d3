/** What a store does with claims: acquire, wait in the queue, renew, inspect. No promise of compatibility. */
@NullMarked
package io.holdfast.redis.internal.claim;

import org.jspecify.annotations.NullMarked;
