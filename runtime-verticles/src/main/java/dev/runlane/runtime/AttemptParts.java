package dev.runlane.runtime;

/**
 * What every attempt of a runtime uses.
 *
 * @param context storage, time and registry
 * @param ends translates what handlers answer
 * @param triggers creates the runs that handlers ask for
 */
record AttemptParts(RuntimeContext context, AttemptEnds ends, Triggers triggers) {}
