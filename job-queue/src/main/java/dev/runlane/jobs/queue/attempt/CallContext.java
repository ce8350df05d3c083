package dev.runlane.jobs.queue.attempt;

import dev.runlane.jobs.queue.job.JobEventBus;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.queue.process.JobsContext;

/** What all handler calls of one worker share. */
public record CallContext(
    JobsContext jobs,
    String workerId,
    JobProcessor processor,
    JobWorkerOptions options,
    Backoffs backoffs,
    JobEventBus events) {}
