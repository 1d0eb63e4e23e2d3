package io.holdfast.redis;

import io.holdfast.redis.internal.connection.RedisConnections;
import io.lettuce.core.cluster.PipelinedRedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Connections without a server, whose requests are answered by the test, for what happens between two answers. */
final class ScriptedConnections {

    private final List<CompletableFuture<List<Object>>> requests = new CopyOnWriteArrayList<>();

    /** The requests so far, in their order. */
    List<CompletableFuture<List<Object>>> requests() {
        return requests;
    }

    /** Answers the request with that number, from 1. */
    void answer(int number, Object... parts) {
        requests.get(number - 1).complete(List.of(parts));
    }

    RedisConnections connections() {
        Object commands = proxy(RedisClusterAsyncCommands.class, (self, method, args) -> {
            if (!method.getName().equals("evalsha")) {
                throw new IllegalStateException("not expected: " + method);
            }
            CompletableFuture<List<Object>> request = new CompletableFuture<>();
            requests.add(request);
            return new PipelinedRedisFuture<>(request);
        });
        return (RedisConnections) proxy(RedisConnections.class, (self, method, args) -> switch (method.getName()) {
            case "commands" -> commands;
            case "wakeupChannel" -> "p:test";
            case "subscribe" -> CompletableFuture.completedFuture(null);
            case "scriptGroup" -> 0;
            default -> null;
        });
    }

    private static Object proxy(Class<?> type, InvocationHandler handler) {
        return Proxy.newProxyInstance(ScriptedConnections.class.getClassLoader(), new Class<?>[] {type}, handler);
    }
}
