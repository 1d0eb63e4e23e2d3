/**
 * Rules that hold for all of the code, and the tests that keep them. Every rule is also shown to fail, on the classes in
 * {@code bad}.
 */
@NullMarked
package io.holdfast.architecture;

import org.jspecify.annotations.NullMarked;
