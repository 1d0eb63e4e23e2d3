package io.holdfast.tck;

import io.holdfast.spi.StoreProvider;

/**
 * How another process opens the store under test.
 *
 * @param provider opens it; a class with a constructor without parameters, on the class path of the tests. It need not be the
 *     one that the store publishes
 * @param url what the provider is given
 */
public record StoreAddress(Class<? extends StoreProvider> provider, String url) {}
