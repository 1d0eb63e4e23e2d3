/** What differs between databases: SQL, settings of sessions, error codes and versions; and the tables. */
@NullMarked
package io.holdfast.jdbc.internal.dialect;

import org.jspecify.annotations.NullMarked;
