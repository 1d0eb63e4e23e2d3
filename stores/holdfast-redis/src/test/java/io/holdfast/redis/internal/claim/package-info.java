@NullMarked
package io.holdfast.redis.internal.claim;

import org.jspecify.annotations.NullMarked;
