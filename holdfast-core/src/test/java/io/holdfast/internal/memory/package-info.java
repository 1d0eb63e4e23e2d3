@NullMarked
package io.holdfast.internal.memory;

import org.jspecify.annotations.NullMarked;
