package io.holdfast.architecture.bad.internal;

/** Stands for the engine. */
public record Engine(String name) {}
