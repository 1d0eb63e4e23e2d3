@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
