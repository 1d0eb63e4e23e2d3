@NullMarked
package io.holdfast.internal.runtime;

import org.jspecify.annotations.NullMarked;
