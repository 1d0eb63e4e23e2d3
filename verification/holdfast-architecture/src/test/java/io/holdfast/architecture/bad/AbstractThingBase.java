package io.holdfast.architecture.bad;

/** Has a name that does not say what it is. */
public abstract class AbstractThingBase {}
