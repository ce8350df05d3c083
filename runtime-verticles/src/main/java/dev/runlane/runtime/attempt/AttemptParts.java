package dev.runlane.runtime.attempt;

import dev.runlane.runtime.create.Triggers;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.steps.StepResults;

/**
 * What every attempt of a runtime uses.
 *
 * @param context storage, time and registry
 * @param ends translates what handlers answer
 * @param results translates what steps answer
 * @param triggers creates the runs that handlers ask for
 */
public record AttemptParts(
    RuntimeContext context, AttemptEnds ends, StepResults results, Triggers triggers) {}
