/**
 * The engine and the in-JVM store. No promise is made about anything in this package: it is not exported, and it changes
 * without notice.
 */
@NullMarked
package io.holdfast.internal;

import org.jspecify.annotations.NullMarked;
