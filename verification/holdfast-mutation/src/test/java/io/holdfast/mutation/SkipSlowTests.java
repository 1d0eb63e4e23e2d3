package io.holdfast.mutation;

import java.util.Set;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips the core's tests about heap, stack depth, load, garbage collection and the end of threads. Each takes seconds, and PIT would run it again
 * for every mutant that the others leave alive.
 */
public final class SkipSlowTests implements ExecutionCondition {

    private static final Set<String> SLOW = Set.of(
            "answersThatComeDuringAScanDoNotBreakIt",
            "anyNumberOfWaitersIsServedByAStoreThatAnswersAtOnce",
            "bodyThatEndsAfterCloseReleasesTheLock",
            "cancelledAcquisitionNeverKeepsTheLock",
            "heldNameCostsLittle",
            "leaseInUseIsNeverTakenForForgotten",
            "lockSetOfMoreNamesThanTheStackIsDeep",
            "maxHoldEndsABodyThatWouldBeRenewedForEver",
            "millionNamesLockedOnceLeaveTheHeapAsItWas",
            "noThreadIsLeft",
            "storeThatFailsToCloseLeavesNoThread");

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext test) {
        return test.getTestMethod()
                        .filter(method -> SLOW.contains(method.getName()))
                        .isPresent()
                ? ConditionEvaluationResult.disabled("too slow to be run for every mutant")
                : ConditionEvaluationResult.enabled("fast enough");
    }
}
