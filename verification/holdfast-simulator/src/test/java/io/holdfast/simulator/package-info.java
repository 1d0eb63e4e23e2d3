@NullMarked
package io.holdfast.simulator;

import org.jspecify.annotations.NullMarked;
