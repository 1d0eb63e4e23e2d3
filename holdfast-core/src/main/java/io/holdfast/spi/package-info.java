/**
 * What a store author implements and is given: the {@link io.holdfast.spi.LockStore} contract, its words, and helpers
 * that turn simpler stores into that contract. Users of locks do not need this package.
 */
@NullMarked
package io.holdfast.spi;

import org.jspecify.annotations.NullMarked;
