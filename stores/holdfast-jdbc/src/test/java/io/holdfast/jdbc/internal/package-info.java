@NullMarked
package io.holdfast.jdbc.internal;

import org.jspecify.annotations.NullMarked;
