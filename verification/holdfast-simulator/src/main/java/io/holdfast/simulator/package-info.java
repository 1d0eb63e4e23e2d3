/**
 * Runs the real engine, several processes at once, on virtual time and in one thread, against a store and a network that
 * fail as a seed says. A history takes well under a millisecond to a few, and a seed always gives the same one.
 */
@NullMarked
package io.holdfast.simulator;

import org.jspecify.annotations.NullMarked;
