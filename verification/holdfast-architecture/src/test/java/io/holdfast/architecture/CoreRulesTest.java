package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.holdfast.Holdfast;
import io.holdfast.architecture.bad.AbstractThingBase;
import io.holdfast.architecture.bad.ChangesStatics;
import io.holdfast.architecture.bad.ManyMonitors;
import io.holdfast.architecture.bad.NeedsALibrary;
import io.holdfast.architecture.bad.Parks;
import io.holdfast.architecture.bad.ReadsClocks;
import io.holdfast.architecture.bad.Sleeps;
import io.holdfast.architecture.bad.TakesBooleans;
import io.holdfast.architecture.bad.ThingHelper;
import io.holdfast.architecture.bad.ThingImpl;
import io.holdfast.architecture.bad.ThingManager;
import io.holdfast.architecture.bad.ThingUtils;
import io.holdfast.architecture.bad.Throws;
import io.holdfast.architecture.bad.UsesThreads;
import io.holdfast.architecture.bad.spi.NeedsTheEngine;
import io.holdfast.architecture.bad.unmarked.Unmarked;
import io.holdfast.spi.LockStore;
import java.lang.reflect.Member;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds each rule first against an example that breaks it, then against the core. */
class CoreRulesTest {

    private static final CoreRules RULES = new CoreRules("io.holdfast");
    private static final CoreRules RULES_FOR_EXAMPLES = new CoreRules("io.holdfast.architecture.bad");

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.holdfast");

    @Test
    void theCoreIsLookedAtAndNothingElse() {
        assertThat(CORE.stream().map(type -> type.getPackageName()).distinct())
                .containsExactlyInAnyOrder(
                        "io.holdfast",
                        "io.holdfast.monitoring",
                        "io.holdfast.spi",
                        "io.holdfast.spi.support",
                        "io.holdfast.internal.handle",
                        "io.holdfast.internal.memory",
                        "io.holdfast.internal.queue",
                        "io.holdfast.internal.runtime");
        assertThat(CORE.contain(Holdfast.class)).isTrue();
        assertThat(CORE.contain(LockStore.class)).isTrue();
    }

    @Test
    void onlyTheJdkAndJSpecifyAreUsed() {
        assertBrokenBy(CoreRules::onlyTheJdkAndJSpecifyAreUsed, NeedsALibrary.class);
        RULES.onlyTheJdkAndJSpecifyAreUsed().check(CORE);
    }

    @Test
    void storesDoNotNeedTheEngine() {
        assertBrokenBy(CoreRules::storesDoNotNeedTheEngine, NeedsTheEngine.class);
        RULES.storesDoNotNeedTheEngine().check(CORE);
    }

    @Test
    void clocksAreReadInOnePlace() {
        assertBrokenByEveryMemberOf(CoreRules::clocksAreReadInOnePlace, ReadsClocks.class);
        RULES.clocksAreReadInOnePlace().check(CORE);
    }

    @Test
    void nobodySleeps() {
        assertBrokenByEveryMemberOf(CoreRules::nobodySleeps, Sleeps.class);
        RULES.nobodySleeps().check(CORE);
    }

    @Test
    void threadsParkInOnePlace() {
        assertBrokenByEveryMemberOf(CoreRules::threadsParkInOnePlace, Parks.class);
        RULES.threadsParkInOnePlace().check(CORE);
    }

    @Test
    void threadsAreMadeByFewClasses() {
        assertBrokenByEveryMemberOf(CoreRules::threadsAreMadeByFewClasses, UsesThreads.class);
        RULES.threadsAreMadeByFewClasses().check(CORE);
    }

    @Test
    void noMethodIsSynchronized() {
        assertBrokenBy(CoreRules::noMethodIsSynchronized, ManyMonitors.class);
        RULES.noMethodIsSynchronized().check(CORE);
    }

    @Test
    void nothingStaticChanges() {
        assertBrokenByEveryMemberOf(CoreRules::nothingStaticChanges, ChangesStatics.class);
        RULES.nothingStaticChanges().check(CORE);
    }

    @Test
    void noMethodThrowsJustException() {
        assertBrokenByEveryMemberOf(CoreRules::noMethodThrowsJustException, Throws.class);
        RULES.noMethodThrowsJustException().check(CORE);
    }

    @Test
    void noParameterIsBoolean() {
        assertBrokenByEveryMemberOf(CoreRules::noParameterIsBoolean, TakesBooleans.class);
        RULES.noParameterIsBoolean().check(CORE);
    }

    @Test
    void namesSayWhatThingsAre() {
        for (Class<?> named : List.of(
                ThingImpl.class, ThingUtils.class, ThingHelper.class, ThingManager.class, AbstractThingBase.class)) {
            assertBrokenBy(CoreRules::namesSayWhatThingsAre, named);
        }
        RULES.namesSayWhatThingsAre().check(CORE);
    }

    @Test
    void packagesAreNullMarked() {
        assertBrokenBy(CoreRules::packagesAreNullMarked, Unmarked.class);
        RULES.packagesAreNullMarked().check(CORE);
    }

    @Test
    void packagesAreSmall() {
        assertBrokenBy(rules -> rules.packagesAreSmall(0), Sleeps.class);
        RULES.packagesAreSmall(25).check(CORE);
    }

    @Test
    void theEngineHasLayers() {
        RULES.theEngineHasLayers().check(CORE);
    }

    /** An exception that nobody uses any more would let the next offender in. */
    @Test
    void everyExceptionIsNeeded() {
        assertExceptionNeeded(CoreRules::clocksAreReadInOnePlace, "spi.SystemTicker");
        assertExceptionNeeded(CoreRules::threadsParkInOnePlace, "internal.handle.ThreadWaiter");
        assertExceptionNeeded(
                CoreRules::threadsAreMadeByFewClasses,
                "spi.support.DaemonThreads",
                "internal.runtime.DaemonScheduler",
                "internal.runtime.CallbackThreads",
                "internal.runtime.RuntimeThreads");
        assertExceptionNeeded(CoreRules::nothingStaticChanges, "internal.memory.MemoryStoreProvider");
    }

    private static void assertExceptionNeeded(Function<CoreRules, ArchRule> rule, String... types) {
        List<String> violations = violations(rule.apply(RULES_FOR_EXAMPLES), CORE);
        assertThat(types)
                .allSatisfy(type -> assertThat(violations)
                        .anySatisfy(violation -> assertThat(violation).contains("io.holdfast." + type + '.')));
    }

    private static void assertBrokenBy(Function<CoreRules, ArchRule> rule, Class<?> example) {
        assertThat(violations(rule, example))
                .anySatisfy(violation -> assertThat(violation).contains(example.getPackageName()));
    }

    /** Each way to break a rule has a member of its own in the example, and none may slip through. */
    private static void assertBrokenByEveryMemberOf(Function<CoreRules, ArchRule> rule, Class<?> example) {
        List<String> violations = violations(rule, example);
        assertThat(Stream.<Member>concat(
                                Arrays.stream(example.getDeclaredMethods()), Arrays.stream(example.getDeclaredFields()))
                        .filter(member -> !member.isSynthetic())
                        .map(member -> example.getName() + '.' + member.getName()))
                .isNotEmpty()
                .allSatisfy(member -> assertThat(violations)
                        .anySatisfy(violation -> assertThat(violation).contains(member)));
    }

    private static List<String> violations(Function<CoreRules, ArchRule> rule, Class<?> example) {
        return violations(rule.apply(RULES_FOR_EXAMPLES), new ClassFileImporter().importClasses(example));
    }

    private static List<String> violations(ArchRule rule, JavaClasses classes) {
        return rule.evaluate(classes).getFailureReport().getDetails();
    }
}
