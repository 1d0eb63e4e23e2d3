/** Files of SQLite: whether locks in a file work, and which copy of SQLite uses it. */
@NullMarked
package io.holdfast.jdbc.internal.sqlite;

import org.jspecify.annotations.NullMarked;
