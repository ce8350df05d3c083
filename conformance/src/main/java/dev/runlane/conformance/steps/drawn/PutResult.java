package dev.runlane.conformance.steps.drawn;

import dev.runlane.steps.result.StepResult;

/** Another program writes a result, and leaves the step's task as it is. */
record PutResult(StepResult result) {}
