/**
 * Distributed locks in a SQL database, by JDBC: leases in a table, locks of database sessions, or leases in a file.
 * {@link io.holdfast.jdbc.JdbcStore} is the entry point.
 */
@NullMarked
package io.holdfast.jdbc;

import org.jspecify.annotations.NullMarked;
