/** Classes that do what the rules forbid, one rule each. They are read by the tests and never run. */
@NullMarked
package io.holdfast.architecture.bad;

import org.jspecify.annotations.NullMarked;
