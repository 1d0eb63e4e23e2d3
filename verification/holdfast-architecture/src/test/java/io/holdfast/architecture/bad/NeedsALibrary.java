package io.holdfast.architecture.bad;

import com.tngtech.archunit.core.domain.JavaClass;

/** Uses a type that is neither of the JDK nor of JSpecify. */
public record NeedsALibrary(JavaClass type) {}
