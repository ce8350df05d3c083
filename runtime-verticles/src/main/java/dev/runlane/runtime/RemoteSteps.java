package dev.runlane.runtime;

import dev.runlane.steps.StepTransport;
import dev.runlane.storage.StepStorage;

/**
 * The two sides of remote steps.
 *
 * @param transport where workers find tasks and leave results
 * @param storage what is pending, guarded
 */
record RemoteSteps(StepTransport transport, StepStorage storage) {}
