@NullMarked
package io.holdfast.spi.support;

import org.jspecify.annotations.NullMarked;
