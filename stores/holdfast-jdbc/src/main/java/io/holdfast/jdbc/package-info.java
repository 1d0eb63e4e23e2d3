/**
 * Locks in a database, by JDBC: a table of leases, locks of database sessions, or a file. {@link io.holdfast.jdbc.JdbcStore}
 * is the way in.
 */
@NullMarked
package io.holdfast.jdbc;

import org.jspecify.annotations.NullMarked;
