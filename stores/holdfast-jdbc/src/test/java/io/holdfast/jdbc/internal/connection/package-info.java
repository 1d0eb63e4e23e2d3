@NullMarked
package io.holdfast.jdbc.internal.connection;

import org.jspecify.annotations.NullMarked;
