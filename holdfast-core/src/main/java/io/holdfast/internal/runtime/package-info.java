/** The engine: sends claims, renews, releases, reports, and closes. No promise to users. */
@NullMarked
package io.holdfast.internal.runtime;

import org.jspecify.annotations.NullMarked;
