package io.holdfast.internal;

import io.holdfast.Owner;

/**
 * What a lock asks for again and again: which name, how much of it, and on which terms.
 *
 * @param name the name
 * @param share how much of it
 * @param terms the options, in nanoseconds
 * @param owner shown to people who inspect the lock
 */
record Wish(String name, Share share, Terms terms, Owner owner) {}
