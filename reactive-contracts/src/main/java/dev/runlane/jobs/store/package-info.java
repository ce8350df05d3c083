/**
 * What a job queue's store promises: {@code JobStore} is the contract, {@code JobChecks} what every store
 * refuses, {@code JobTransitions} what an outcome makes of a job.
 */
@NullMarked
package dev.runlane.jobs.store;

import org.jspecify.annotations.NullMarked;
