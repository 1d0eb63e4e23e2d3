/**
 * Real servers as child processes on loopback that never outlive this JVM, and a network in front of them that can fail.
 * For tests, the demo and the benchmarks.
 */
@NullMarked
package io.holdfast.servers;

import org.jspecify.annotations.NullMarked;
