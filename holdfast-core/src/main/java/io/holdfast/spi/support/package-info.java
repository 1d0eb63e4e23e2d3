/** Helpers for authors of stores: polling, threads, logging, formats. Users of locks do not need this package. */
@NullMarked
package io.holdfast.spi.support;

import org.jspecify.annotations.NullMarked;
