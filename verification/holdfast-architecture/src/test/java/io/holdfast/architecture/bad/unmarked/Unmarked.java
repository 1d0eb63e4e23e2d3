package io.holdfast.architecture.bad.unmarked;

/** Lives in a package without a package-info. */
public record Unmarked(String name) {}
