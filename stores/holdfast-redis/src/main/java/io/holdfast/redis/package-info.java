/**
 * Distributed locks on Redis: a store on one server, under Sentinel or in a Cluster, and a fence that checks fencing tokens
 * for data in Redis.
 */
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
