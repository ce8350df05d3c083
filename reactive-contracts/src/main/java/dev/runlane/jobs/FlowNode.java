package dev.runlane.jobs;

import java.util.Objects;

/**
 * One job of a flow.
 *
 * @param queueName its queue
 * @param job the job, with its id, its parent and its children
 */
public record FlowNode(String queueName, NewJob job) {
  /** Refuses null. */
  public FlowNode {
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(job);
  }
}
