package dev.runlane.jobs.queue;

import dev.runlane.jobs.JobOptions;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One job of a flow, and the jobs it waits for.
 *
 * @param name names the handler or category
 * @param queueName its queue; those of a flow may differ
 * @param data its payload
 * @param options its options
 * @param children the jobs that must end before it runs
 */
public record FlowJob(
    String name,
    String queueName,
    @Nullable Object data,
    JobOptions options,
    List<FlowJob> children) {
  /** Copies the children and refuses null, except as payload. */
  public FlowJob {
    Objects.requireNonNull(name);
    Objects.requireNonNull(queueName);
    Objects.requireNonNull(options);
    children = List.copyOf(children);
  }

  /** Without options and children. */
  public static FlowJob of(String name, String queueName, @Nullable Object data) {
    return new FlowJob(name, queueName, data, JobOptions.NONE, List.of());
  }

  /** The same with these options. */
  public FlowJob with(JobOptions other) {
    return new FlowJob(name, queueName, data, other, children);
  }

  /** The same, after these. */
  public FlowJob after(FlowJob... others) {
    return new FlowJob(name, queueName, data, options, List.of(others));
  }
}
