/** The store that uses locks of database sessions: advisory locks and {@code GET_LOCK}. */
@NullMarked
package io.holdfast.jdbc.internal.session;

import org.jspecify.annotations.NullMarked;
