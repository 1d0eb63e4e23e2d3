@NullMarked
package io.holdfast.jdbc.internal.dialect;

import org.jspecify.annotations.NullMarked;
