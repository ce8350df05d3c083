package dev.runlane.conformance.steps.drawn;

import dev.runlane.steps.task.DispatchSteps;

/** A dispatch of those steps that have neither a task nor a result. */
public record DispatchMissing(DispatchSteps dispatch) {}
