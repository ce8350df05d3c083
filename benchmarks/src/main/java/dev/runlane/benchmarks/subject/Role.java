package dev.runlane.benchmarks.subject;

/** What one process of a workload does. */
public enum Role {
  /** Creates runs one by one, many at a time, on one event loop. */
  ENQUEUE,
  /** The same from plain threads, each waiting for its call. */
  ENQUEUE_THREADS,
  /** The same, each with an idempotency key of its own. */
  ENQUEUE_KEYED,
  /** Creates runs with one call for many. */
  ENQUEUE_MANY,
  /** Fills a queue, then works until it is empty. */
  DRAIN,
  /** The same with all that works deployed, which holds the first runs until the queue is full. */
  DEPLOYED_DRAIN,
  /** Works until a queue is empty that another process has filled, together with others of its kind. */
  SHARED_DRAIN,
  /** Creates runs at a fixed rate, for another process to work on. */
  PACED_TRIGGER,
  /** Works on what another process creates and takes the time until each handler starts. */
  WAITING_WORKER
}
