package dev.runlane.runtime;

/**
 * What every attempt of a runtime uses.
 *
 * @param context storage, time and registry
 * @param ends translates what handlers answer
 * @param results translates what steps answer
 * @param triggers creates the runs that handlers ask for
 */
record AttemptParts(
    RuntimeContext context, AttemptEnds ends, StepResults results, Triggers triggers) {}
