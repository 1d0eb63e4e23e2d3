package io.holdfast.lincheck;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;

/**
 * Who does what: one thread alone, and then several at once. In {@code acquire, acquire; release 0 | cancel 1} there are two
 * leases asked for, the first of which is released while the second is cancelled.
 */
record Scenario(String text) {

    ExecutionScenario on(Class<?> check) {
        String[] parts = text.split(";", -1);
        List<List<Actor>> threads = new ArrayList<>();
        for (String thread : parts[1].split("\\|", -1)) {
            threads.add(actors(check, thread));
        }
        return new ExecutionScenario(actors(check, parts[0]), threads, List.of(), validation(check));
    }

    private static List<Actor> actors(Class<?> check, String steps) {
        return Arrays.stream(steps.split(",", -1))
                .map(String::strip)
                .filter(step -> !step.isEmpty())
                .map(step -> actor(check, step))
                .toList();
    }

    private static Actor actor(Class<?> check, String step) {
        String[] words = step.split(" ", -1);
        List<Integer> arguments =
                Arrays.stream(words).skip(1).map(Integer::valueOf).toList();
        Method method = Arrays.stream(check.getMethods())
                .filter(each -> each.getName().equals(words[0]) && each.getParameterCount() == arguments.size())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(check + " has no operation " + step));
        return new Actor(method, arguments);
    }

    private static @Nullable Actor validation(Class<?> check) {
        return Arrays.stream(check.getMethods())
                .filter(each -> each.isAnnotationPresent(Validate.class))
                .findFirst()
                .map(each -> new Actor(each, List.of()))
                .orElse(null);
    }
}
