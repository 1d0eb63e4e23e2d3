/**
 * A soak: Holdfast on a real server or in a file for minutes, in several processes, while connections, servers and processes
 * fail by dice. What everybody believed is written down, and judged afterwards.
 */
@NullMarked
package io.holdfast.soak;

import org.jspecify.annotations.NullMarked;
