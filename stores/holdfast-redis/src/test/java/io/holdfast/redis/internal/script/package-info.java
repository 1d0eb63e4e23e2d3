@NullMarked
package io.holdfast.redis.internal.script;

import org.jspecify.annotations.NullMarked;
