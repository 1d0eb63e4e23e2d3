@NullMarked
package io.holdfast.redis.internal.connection;

import org.jspecify.annotations.NullMarked;
