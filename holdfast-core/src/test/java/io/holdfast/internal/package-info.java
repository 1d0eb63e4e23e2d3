@NullMarked
package io.holdfast.internal;

import org.jspecify.annotations.NullMarked;
