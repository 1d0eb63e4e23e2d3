/** Database connections: where they come from, and the threads that execute requests on them. */
@NullMarked
package io.holdfast.jdbc.internal.connection;

import org.jspecify.annotations.NullMarked;
