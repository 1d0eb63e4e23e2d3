/** The store that keeps leases in a table. */
@NullMarked
package io.holdfast.jdbc.internal.lease;

import org.jspecify.annotations.NullMarked;
