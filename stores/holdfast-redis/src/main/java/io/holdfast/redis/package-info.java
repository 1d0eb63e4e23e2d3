/**
 * Locks on Redis: a store on one server, under Sentinel or in a Cluster. The fence for data
 * that lives in Redis is here too.
 */
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
