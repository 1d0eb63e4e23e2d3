@NullMarked
package io.holdfast.spi;

import org.jspecify.annotations.NullMarked;
