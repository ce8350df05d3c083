/**
 * What a job queue's store promises. A job is one mutable row: it waits, is handed out to a worker under a
 * lock, and ends. {@link dev.runlane.jobs.store.JobStore} is the contract, {@link dev.runlane.jobs.store.JobChecks}
 * what every store refuses, {@link dev.runlane.jobs.store.JobTransitions} what an outcome makes of a job.
 */
@NullMarked
package dev.runlane.jobs;

import org.jspecify.annotations.NullMarked;
