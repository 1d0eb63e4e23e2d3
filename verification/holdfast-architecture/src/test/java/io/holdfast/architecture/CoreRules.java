package io.holdfast.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.all;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.HasDescription;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.lang.AbstractClassesTransformer;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;

/**
 * The rules for the class files of the core. They are made for a root package, so that the same rules can be held against
 * the bad examples.
 */
final class CoreRules {

    private final String root;

    CoreRules(String root) {
        this.root = root;
    }

    ArchRule onlyTheJdkAndJSpecifyAreUsed() {
        return classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(root + "..", "java..", "org.jspecify..")
                .because("whatever the core needs, every user of every store gets as well");
    }

    ArchRule storesDoNotNeedTheEngine() {
        return noClasses()
                .that()
                .resideInAPackage(root + ".spi..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(root + ".internal..")
                .because("stores are written against the SPI, and the engine must be free to change under them");
    }

    /** Who may use whom inside the engine: what users hold, the runtime, the local queues, the in-JVM store. */
    ArchRule theEngineHasLayers() {
        return layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("handles")
                .definedBy(root + ".internal.handle..")
                .layer("runtime")
                .definedBy(root + ".internal.runtime..")
                .layer("queues")
                .definedBy(root + ".internal.queue..")
                .layer("in-JVM store")
                .definedBy(root + ".internal.memory..")
                .whereLayer("handles")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("runtime")
                .mayOnlyBeAccessedByLayers("handles")
                .whereLayer("queues")
                .mayOnlyBeAccessedByLayers("handles", "runtime")
                .because("a change of the queues must not reach up into what users hold");
    }

    ArchRule clocksAreReadInOnePlace() {
        return nobodyBut(".spi.SystemTicker")
                .should()
                .accessTargetWhere(Accesses.thatReadAClock())
                .because("time that does not come from a Ticker cannot be simulated");
    }

    ArchRule nobodySleeps() {
        return noClasses()
                .should()
                .accessTargetWhere(Accesses.thatSleep())
                .because("what has to happen later goes through the Scheduler, and a waiter is notified");
    }

    ArchRule threadsParkInOnePlace() {
        return nobodyBut(".internal.handle.ThreadWaiter")
                .should()
                .accessTargetWhere(Accesses.thatPark())
                .because("interrupts and deadlines are handled once, where the thread waits");
    }

    ArchRule threadsAreMadeByFewClasses() {
        return nobodyBut(
                        ".spi.support.DaemonThreads",
                        ".internal.runtime.DaemonScheduler",
                        ".internal.runtime.CallbackThreads",
                        ".internal.runtime.RuntimeThreads")
                .should()
                .accessTargetWhere(Accesses.thatMakeOrBorrowThreads())
                .because("who makes a thread must stop it, and closing a Holdfast leaves no thread behind");
    }

    ArchRule noMethodIsSynchronized() {
        return noMethods()
                .should()
                .haveModifier(JavaModifier.SYNCHRONIZED)
                .because("before JDK 24 a virtual thread that waits inside a monitor pins its carrier");
    }

    ArchRule nothingStaticChanges() {
        return fields().that(describe("are static", StaticState::isDeclaredStatic))
                .and()
                .areNotDeclaredIn(root + ".internal.memory.MemoryStoreProvider")
                .should()
                .beFinal()
                .andShould(StaticState.holdNothingThatChanges())
                .because("two Holdfasts in one JVM share nothing but the in-JVM stores that have a name");
    }

    ArchRule noMethodThrowsJustException() {
        return methods()
                .that()
                .areDeclaredInClassesThat(
                        PublicApi.typesOf(root, root + ".monitoring", root + ".spi", root + ".spi.support"))
                .and()
                .areNotDeclaredIn(root + ".spi.BlockingStore")
                .should(satisfy(
                        "not declare Exception",
                        // The raw clause of `throws E` is Exception too; only the generic one tells them apart.
                        method -> !List.of(method.reflect().getGenericExceptionTypes())
                                .contains(Exception.class)))
                .because("a caller cannot handle just anything; drivers that block may throw what they like");
    }

    ArchRule noParameterIsBoolean() {
        return codeUnits()
                .that()
                .arePublic()
                .and()
                .areDeclaredInClassesThat()
                .resideInAnyPackage(root, root + ".monitoring", root + ".spi..")
                .should(satisfy(
                        "take no boolean",
                        codeUnit -> codeUnit.getRawParameterTypes().stream()
                                .noneMatch(type -> type.isEquivalentTo(boolean.class))))
                .because("true says nothing at the place of the call; an enum or a second method does");
    }

    ArchRule namesSayWhatThingsAre() {
        return noClasses()
                .should()
                .haveNameMatching(".*(Impl|Utils|Helper|Manager)|.*[.$]Abstract[^.$]*Base")
                .because("such a name says how a class came about, and not what it is");
    }

    ArchRule packagesAreNullMarked() {
        return all(transformed(
                        "packages",
                        types -> types.stream().map(JavaClass::getPackage).collect(Collectors.toSet())))
                .should(satisfy(
                        "have a package-info with @NullMarked",
                        (JavaPackage folder) -> folder.isAnnotatedWith(NullMarked.class)))
                .because("null is then settled when code is compiled, ours and that of users");
    }

    ArchRule packagesAreSmall(int most) {
        return all(transformed("packages", CoreRules::packages))
                .should(satisfy("have at most " + most + " classes", (Listing listing) -> listing.names.size() <= most))
                .because("the name of a package should tell where to look for a class");
    }

    private static List<Listing> packages(JavaClasses types) {
        Map<String, List<String>> names = types.stream()
                .filter(JavaClass::isTopLevelClass)
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(
                        JavaClass::getPackageName,
                        TreeMap::new,
                        Collectors.mapping(JavaClass::getSimpleName, Collectors.toList())));
        return names.entrySet().stream()
                .map(entry -> new Listing(entry.getKey(), entry.getValue()))
                .toList();
    }

    private record Listing(String folder, List<String> names) implements HasDescription {
        @Override
        public String getDescription() {
            return folder + " has " + names.size() + " classes: " + names;
        }
    }

    private GivenClassesConjunction nobodyBut(String... types) {
        List<String> allowed = Arrays.stream(types).map(type -> root + type).toList();
        return noClasses().that(are(not(describe("in " + allowed, type -> allowed.contains(outermost(type))))));
    }

    private static String outermost(JavaClass type) {
        return type.getEnclosingClass().map(CoreRules::outermost).orElse(type.getName());
    }

    private static <T extends HasDescription> ArchCondition<T> satisfy(String description, Predicate<T> predicate) {
        return new ArchCondition<>(description) {
            @Override
            public void check(T item, ConditionEvents events) {
                events.add(new SimpleConditionEvent(item, predicate.test(item), item.getDescription()));
            }
        };
    }

    private static <T> AbstractClassesTransformer<T> transformed(
            String description, Function<JavaClasses, Iterable<T>> function) {
        return new AbstractClassesTransformer<>(description) {
            @Override
            public Iterable<T> doTransform(JavaClasses types) {
                return function.apply(types);
            }
        };
    }
}
