package dev.runlane.jobs.queue;

import dev.runlane.jobs.queue.job.Job;
import java.util.List;
import java.util.Objects;

/**
 * A flow that was added.
 *
 * @param job the job, in the state it was stored in
 * @param children the same of the jobs it waits for; empty for a leaf
 */
public record FlowResult(Job job, List<FlowResult> children) {
  /** Copies the children and refuses null. */
  public FlowResult {
    Objects.requireNonNull(job);
    children = List.copyOf(children);
  }
}
