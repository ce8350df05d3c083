package dev.runlane.jobs.queue;

/** What all handler calls of one worker share. */
record CallContext(
    Jobs jobs,
    String workerId,
    JobProcessor processor,
    JobWorkerOptions options,
    Backoffs backoffs,
    JobEventBus events) {}
