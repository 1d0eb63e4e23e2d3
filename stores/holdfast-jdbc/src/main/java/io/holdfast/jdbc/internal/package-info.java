/** What all packages of the JDBC stores use: settings, times, the logger and exceptions. No promise of compatibility. */
@NullMarked
package io.holdfast.jdbc.internal;

import org.jspecify.annotations.NullMarked;
