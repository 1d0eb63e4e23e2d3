package io.holdfast.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructor;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** Calls and method references that lead to time, waiting or threads. */
final class Accesses {

    private static final Set<String> CLOCK_METHODS = Set.of("nanoTime", "currentTimeMillis");
    private static final Set<String> CLOCK_TYPES = Set.of("java.time.Clock", "java.time.InstantSource");
    private static final Set<String> THREAD_METHODS = Set.of("startVirtualThread", "ofVirtual", "ofPlatform");
    private static final Set<String> TIMED_FUTURE_METHODS = Set.of("orTimeout", "completeOnTimeout", "delayedExecutor");

    private Accesses() {}

    static DescribedPredicate<JavaAccess<?>> thatReadAClock() {
        return to("a clock", target -> {
            JavaClass owner = target.getOwner();
            return (CLOCK_METHODS.contains(target.getName()) && isOn(target, System.class))
                    || CLOCK_TYPES.contains(owner.getName())
                    || (target.getName().equals("now") && owner.getPackageName().startsWith("java.time"))
                    || (target.getName().equals("getInstance") && isOn(target, Calendar.class))
                    || (isConstructor(target)
                            && isOn(target, Date.class)
                            && parametersOf(target).isEmpty());
        });
    }

    static DescribedPredicate<JavaAccess<?>> thatSleep() {
        return to("a sleep", target -> target.getName().equals("sleep") && isOn(target, Thread.class, TimeUnit.class));
    }

    static DescribedPredicate<JavaAccess<?>> thatPark() {
        return to("a park", target -> target.getName().startsWith("park") && isOn(target, LockSupport.class));
    }

    /** New threads and pools, and the JDK's own pool and timer thread, which futures use unless told otherwise. */
    static DescribedPredicate<JavaAccess<?>> thatMakeOrBorrowThreads() {
        return to(
                "a thread that is made or borrowed",
                target -> (isConstructor(target) && isOn(target, Thread.class, ExecutorService.class, Timer.class))
                        || (THREAD_METHODS.contains(target.getName()) && isOn(target, Thread.class))
                        || isOn(target, Executors.class)
                        || (target.getName().equals("commonPool") && isOn(target, ForkJoinPool.class))
                        || (isOn(target, CompletableFuture.class) && borrowsThread(target)));
    }

    private static boolean borrowsThread(AccessTarget target) {
        return TIMED_FUTURE_METHODS.contains(target.getName())
                || (target.getName().endsWith("Async")
                        && parametersOf(target).stream().noneMatch(type -> type.isEquivalentTo(Executor.class)));
    }

    private static DescribedPredicate<JavaAccess<?>> to(String what, Predicate<AccessTarget> predicate) {
        return describe("the target is " + what, access -> predicate.test(access.getTarget()));
    }

    private static boolean isOn(AccessTarget target, Class<?>... owners) {
        return Arrays.stream(owners).anyMatch(target.getOwner()::isAssignableTo);
    }

    private static boolean isConstructor(AccessTarget target) {
        return target.getName().equals(JavaConstructor.CONSTRUCTOR_NAME);
    }

    private static List<JavaClass> parametersOf(AccessTarget target) {
        return target instanceof CodeUnitAccessTarget codeUnit ? codeUnit.getRawParameterTypes() : List.of();
    }
}
