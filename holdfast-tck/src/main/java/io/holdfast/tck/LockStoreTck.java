package io.holdfast.tck;

/** The contract of a store. */
public abstract class LockStoreTck {}
