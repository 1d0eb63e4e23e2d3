package io.holdfast.lincheck;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.jspecify.annotations.Nullable;

/** What is hunted for with Lincheck: a check, the scenarios to begin with, and, with more effort, random ones. */
enum Hunt {
    EXCLUSIVE(
            ExclusiveCheck.class,
            null,
            "acquire, acquire; release 0 | cancel 1",
            "acquire, acquire; release 0 | expire",
            "acquire, acquire; expire | cancel 1",
            "acquire, acquire; close | release 0",
            "acquire, acquire; renew | release 0",
            "acquire; release 0, acquire | acquire, cancel 1",
            "acquire; close | acquire"),
    TIME_LIMITED(
            TimeLimitedCheck.class,
            null,
            "acquire, acquire; release 0 | renew",
            "acquire, acquire; release 0 | cancel 1",
            "; acquire | acquire"),
    READ_WRITE(
            ReadWriteCheck.class,
            null,
            "write, read, write; release 0 | cancel 1",
            "read, write; release 0 | read",
            "read, write; cancel 1 | read"),
    SEMAPHORE(
            SemaphoreCheck.class,
            null,
            "takeOne, takeOne, takeBoth; release 0 | release 1",
            "takeBoth, takeOne, takeOne; release 0 | cancel 1",
            "takeOne; release 0 | takeBoth"),
    HELD_LEASE(
            HeldLeaseCheck.class,
            null,
            "; onLost | expire",
            "; onLost | onLost, expire",
            "onLost; release | expire",
            "onLost, expire; release | close"),
    INTERRUPTIBLE_BODY(
            InterruptibleBodyCheck.class,
            null,
            "; run, somethingElse | interrupt",
            "; run, run | interrupt, interrupt"),
    TOKEN_CLOCK(TokenClockCheck.class, TokenClockCheck.class, "; reserve 3 1 | reserve 2 2"),
    MEMORY_STORE(
            MemoryStoreCheck.class,
            PlainLedger.class,
            "acquire 0, acquire 1; release 0 | tryAcquire 2, inspect",
            "acquire 0, acquire 1; expire | release 0, renew 1",
            "acquire 0; release 0 | acquire 1, inspect");

    /** {@code -Dholdfast.lincheck.effort=10}: ten times as long for every scenario, and nine at random for every check. */
    private static final int EFFORT = Integer.getInteger("holdfast.lincheck.effort", 1);

    private static final int INTERLEAVINGS = 40;
    private static final Logger LOG = Logger.getLogger("io.holdfast");

    private final Class<? extends Check> check;
    /** Results must be those that some order of the operations has there; null if the check itself can tell. */
    private final @Nullable Class<?> model;

    @SuppressWarnings("ImmutableEnumChecker") // it cannot be changed
    private final List<Scenario> scenarios;

    Hunt(Class<? extends Check> check, @Nullable Class<?> model, String... scenarios) {
        this.check = check;
        this.model = model;
        this.scenarios = Stream.of(scenarios).map(Scenario::new).toList();
    }

    /** What Lincheck found, with the interleaving that leads to it; empty if it found nothing. */
    String violation() throws ReflectiveOperationException {
        ModelCheckingOptions options = options().iterations(EFFORT - 1).invocationsPerIteration(INTERLEAVINGS * EFFORT);
        scenarios.forEach(each -> options.addCustomScenario(each.on(check)));
        return violation(options);
    }

    /** As {@link #violation()}, for one scenario alone. */
    String violation(Scenario scenario, int interleavings) throws ReflectiveOperationException {
        return violation(
                options().iterations(0).invocationsPerIteration(interleavings).addCustomScenario(scenario.on(check)));
    }

    private String violation(ModelCheckingOptions options) throws ReflectiveOperationException {
        Level before = LOG.getLevel();
        LOG.setLevel(Level.OFF);
        try {
            rehearse();
            options.check(check);
            return "";
        } catch (LincheckAssertionError found) {
            return String.valueOf(found.getMessage());
        } finally {
            LOG.setLevel(before);
        }
    }

    private void rehearse() throws ReflectiveOperationException {
        try {
            check.getDeclaredConstructor().newInstance().rehearse();
        } catch (IllegalStateException shownByOneThread) {
            // So it will be shown by two, and told better.
        }
    }

    private ModelCheckingOptions options() {
        ModelCheckingOptions options = new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(2)
                .actorsAfter(0)
                .minimizeFailedScenario(false)
                // Random numbers, walks over the stack and logs cannot be replayed, and nothing depends on them.
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(
                                "io.holdfast.internal.runtime.CallSites",
                                "io.holdfast.internal.runtime.Events",
                                "io.holdfast.spi.support.SystemRandom")
                        .allMethods()
                        .ignore())
                // A switch inside of the JDK's collections would only take the place of one that matters. What is made
                // in
                // there escapes Lincheck, so computeIfAbsent, in which lines are made, is left out.
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses("java.util.concurrent.ConcurrentHashMap")
                        .methods("get", "put", "remove", "compute", "computeIfPresent")
                        .treatAsAtomic())
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses("java.util.concurrent.CopyOnWriteArrayList")
                        .allMethods()
                        .treatAsAtomic())
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(check.getName(), LocalQueueCheck.class.getName())
                        .methods("settle")
                        .ignore());
        return model == null ? options.verifier(EpsilonVerifier.class) : options.sequentialSpecification(model);
    }
}
