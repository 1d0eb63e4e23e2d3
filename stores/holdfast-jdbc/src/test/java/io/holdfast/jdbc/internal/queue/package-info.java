@NullMarked
package io.holdfast.jdbc.internal.queue;

import org.jspecify.annotations.NullMarked;
