/**
 * The demo: a crowd of customers takes apples from one stock that is guarded in several ways, some of them broken. Start
 * at {@link io.holdfast.lab.Demo}; a new way of guarding is a {@link io.holdfast.lab.Shop} and a line in
 * {@link io.holdfast.lab.Strategy}.
 */
@NullMarked
package io.holdfast.lab;

import org.jspecify.annotations.NullMarked;
