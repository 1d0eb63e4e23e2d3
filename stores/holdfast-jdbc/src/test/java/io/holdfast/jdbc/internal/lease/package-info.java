@NullMarked
package io.holdfast.jdbc.internal.lease;

import org.jspecify.annotations.NullMarked;
