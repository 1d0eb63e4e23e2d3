@NullMarked
package io.holdfast.jdbc.internal.sweep;

import org.jspecify.annotations.NullMarked;
