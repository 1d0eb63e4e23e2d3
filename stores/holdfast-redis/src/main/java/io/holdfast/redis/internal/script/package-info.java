/** The Lua scripts, how they are sent, and what they answer. No promise of compatibility. */
@NullMarked
package io.holdfast.redis.internal.script;

import org.jspecify.annotations.NullMarked;
