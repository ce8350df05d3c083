package dev.runlane.jobs.queue;

/** What all handler calls of one worker share. */
record CallContext(
    JobsContext jobs,
    String workerId,
    JobProcessor processor,
    JobWorkerOptions options,
    Backoffs backoffs,
    JobEventBus events) {}
