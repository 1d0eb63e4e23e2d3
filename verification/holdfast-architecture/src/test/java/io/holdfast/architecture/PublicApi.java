package io.holdfast.architecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;

/** The types of a package that others can use: public, and nested in public types only. */
final class PublicApi {

    private PublicApi() {}

    static DescribedPredicate<JavaClass> typesOf(String... packages) {
        return DescribedPredicate.<JavaClass>describe(
                        "public types",
                        type -> isPublic(type) && !type.getSimpleName().equals("package-info"))
                .and(JavaClass.Predicates.resideInAnyPackage(packages));
    }

    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(PublicApi::isPublic).orElse(true);
    }
}
