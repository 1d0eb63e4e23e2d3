/**
 * The code of other lock libraries that the pages in {@code docs/migrating} show beside that of Holdfast. What stands between
 * {@code // region} and {@code // endregion} is in a document word for word; the build compares them. Nothing of it is run.
 */
@NullMarked
package io.holdfast.migration;

import org.jspecify.annotations.NullMarked;
