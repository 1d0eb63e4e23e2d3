package io.holdfast.architecture;

import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What static fields hold. Looks at the values, because a field of type {@code Map} may hold an immutable map as well as
 * a registry.
 */
final class StaticState {

    private static final Pattern IMMUTABLE_COLLECTIONS =
            Pattern.compile("java\\.util\\.(ImmutableCollections|Collections\\$(Unmodifiable|Empty|Singleton)).*");

    private StaticState() {}

    /** Static, and written by a person: the compiler makes fields of its own, such as the values of an enum. */
    static boolean isDeclaredStatic(JavaField field) {
        Set<JavaModifier> modifiers = field.getModifiers();
        return modifiers.contains(JavaModifier.STATIC) && !modifiers.contains(JavaModifier.SYNTHETIC);
    }

    static ArchCondition<JavaField> holdNothingThatChanges() {
        return new ArchCondition<>("hold nothing that changes") {
            @Override
            public void check(JavaField field, ConditionEvents events) {
                Object value = valueOf(field.reflect());
                events.add(new SimpleConditionEvent(
                        field,
                        !changes(value),
                        field.getDescription() + " holds " + (value == null ? "null" : value.getClass())));
            }
        };
    }

    private static @Nullable Object valueOf(Field field) {
        try {
            field.setAccessible(true);
            return field.get(null);
        } catch (IllegalAccessException failure) {
            throw new AssertionError(failure);
        }
    }

    private static boolean changes(@Nullable Object value) {
        if (value instanceof Collection || value instanceof Map) {
            return !IMMUTABLE_COLLECTIONS.matcher(value.getClass().getName()).matches();
        }
        if (value == null) {
            return false;
        }
        Class<?> type = value.getClass();
        return value instanceof ThreadLocal
                || (type.getPackageName().equals("java.util.concurrent.atomic") && !isFieldUpdater(type))
                || (type.isArray() && Array.getLength(value) > 0);
    }

    /** They change fields of other objects, and have nothing of their own. */
    private static boolean isFieldUpdater(Class<?> type) {
        return type.getName().contains("FieldUpdater");
    }
}
