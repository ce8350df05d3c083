package dev.runlane.runtime.process;

import dev.runlane.steps.StepTransport;
import dev.runlane.storage.step.StepStorage;

/**
 * The two sides of remote steps.
 *
 * @param transport where workers find tasks and leave results
 * @param storage what is pending, guarded
 */
public record RemoteSteps(StepTransport transport, StepStorage storage) {}
