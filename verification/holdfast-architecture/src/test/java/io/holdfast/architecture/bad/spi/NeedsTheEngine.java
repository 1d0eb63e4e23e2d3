package io.holdfast.architecture.bad.spi;

import io.holdfast.architecture.bad.internal.Engine;

/** A part of the SPI that knows the engine. */
public record NeedsTheEngine(Engine engine) {}
