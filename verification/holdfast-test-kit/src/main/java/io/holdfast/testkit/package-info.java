/** What the integration tests of the stores share. */
@NullMarked
package io.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
