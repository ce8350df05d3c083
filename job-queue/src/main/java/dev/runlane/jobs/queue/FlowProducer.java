package dev.runlane.jobs.queue;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.process.ChangeEvents;
import dev.runlane.jobs.queue.process.JobsContext;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Adds flows: trees of jobs in which a parent runs when its children have ended. What the failure of a child does
 * to its parent is the parent's {@link JobOptions#failParentOnChildFailure()}. Made by {@link Jobs#flows}; safe
 * for use by any thread, futures complete on the caller's context.
 */
public final class FlowProducer {
  /** How deep a flow may be = {@value}. */
  public static final int MOST_DEPTH = 100;

  private final Jobs jobs;
  private final JobsContext context;

  FlowProducer(Jobs jobs) {
    this.jobs = jobs;
    context = jobs.context();
  }

  /**
   * Stores a flow, all of it or nothing. A parent's delay counts from now too: it runs once its children have ended
   * and it is due. Fails with {@code ValidationFailed} for a malformed job, one that repeats or is
   * deduplicated, and for more than {@value #MOST_DEPTH} levels or {@value JobChecks#MOST_ENTRIES} jobs; with the
   * conflict {@code job_id} when an id is taken.
   */
  public Future<FlowResult> add(FlowJob flow) {
    return AdapterCall.of("the job store", () -> {
      Instant now = context.clock().now();
      List<FlowNode> nodes = new ArrayList<>();
      Planned root = plan(flow, null, 1, nodes, now);
      return jobs.store().saveFlow(nodes, now).map(ids -> {
        context.changed(nodes.stream()
            .map(node -> ChangeEvents.inState(
                node.queueName(),
                Objects.requireNonNull(node.job().id()),
                node.job().state(),
                node.job().delayUntil(),
                now))
            .toList());
        return result(root);
      });
    });
  }

  /** Depth first: the nodes of the children come before that of their parent. */
  private Planned plan(
      FlowJob flow, @Nullable Planned parent, int depth, List<FlowNode> nodes, Instant now) {
    if (depth > MOST_DEPTH || nodes.size() > JobChecks.MOST_ENTRIES) {
      throw RunlaneException.validationFailed(
          "a flow must have at most %d levels and %d jobs", MOST_DEPTH, JobChecks.MOST_ENTRIES);
    }
    JobChecks.check(flow.options());
    String id = Objects.requireNonNullElseGet(flow.options().jobId(), jobs::newJobId);
    Map<String, String> carrier = flow.options().traceCarrier();
    JobOptions options = context.carried(
        flow.queueName(),
        flow.name(),
        flow.options(),
        carrier == null && parent != null ? parent.carrier : carrier);
    Planned self = new Planned(flow.queueName(), id, options.traceCarrier());
    for (FlowJob child : flow.children()) {
      self.children.add(plan(child, self, depth + 1, nodes, now));
    }
    List<String> childIds = self.children.stream().map(child -> child.id).toList();
    NewJob job = NewJob.of(
            flow.name(),
            context.payloads().encode("the payload of job " + id, flow.data()),
            options,
            now)
        .withId(id)
        .parentOf(childIds);
    self.job = parent == null ? job : job.childOf(parent.queueName, parent.id);
    nodes.add(new FlowNode(flow.queueName(), self.job));
    return self;
  }

  private FlowResult result(Planned planned) {
    NewJob job = Objects.requireNonNull(planned.job);
    JobData stored = job.storedIn(planned.queueName, planned.id).build();
    return new FlowResult(
        new Job(context, stored), planned.children.stream().map(this::result).toList());
  }

  /** One job on its way. */
  private static final class Planned {
    private final String queueName;
    private final String id;
    private final @Nullable Map<String, String> carrier;
    private final List<Planned> children = new ArrayList<>();
    private @Nullable NewJob job;

    Planned(String queueName, String id, @Nullable Map<String, String> carrier) {
      this.queueName = queueName;
      this.id = id;
      this.carrier = carrier;
    }
  }
}
