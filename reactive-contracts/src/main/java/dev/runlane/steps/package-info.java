/**
 * What a step transport promises: an engine dispatches steps of its runs, workers of any language claim
 * them, and each step's result comes back to the engine that knows the run. {@link
 * dev.runlane.steps.StepTransport} is the contract, {@link dev.runlane.steps.delivery.StepResultDelivery} the role
 * that hands results to an engine.
 */
@NullMarked
package dev.runlane.steps;

import org.jspecify.annotations.NullMarked;
