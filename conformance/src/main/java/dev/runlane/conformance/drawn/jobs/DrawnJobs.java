package dev.runlane.conformance.drawn.jobs;

import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Jobs that are to be stored. */
final class DrawnJobs {
  private static final List<Double> PRIORITIES = List.of(0.0, 1.0, 0.5, -3.0, 1e300);

  private final JobDraw draw;

  DrawnJobs(JobDraw draw) {
    this.draw = draw;
  }

  NewJob job(Instant now) {
    Instant createdAt = draw.oneIn(10) ? now.minus(draw.millis()) : now;
    NewJob job = NewJob.of(draw.anyOf(draw.names), draw.json(), options(), createdAt);
    NewJob.Builder builder = job.toBuilder();
    if (job.id() == null && draw.oneIn(3)) {
      builder.id(draw.anyOf(draw.ids));
    } else if (job.id() == null && draw.oneIn(12)) {
      builder
          .parentQueueName(draw.queue())
          .parentId(draw.anyOf(draw.ids)); // nobody's parent itself
    }
    if (draw.oneIn(20)) {
      builder.deduplicationKey(draw.anyOf(draw.keys));
    }
    if (draw.oneIn(10)) {
      builder.more(imported(now));
    }
    return builder.build();
  }

  /** One that belongs to no flow. */
  NewJob series(@Nullable String id, Instant now) {
    NewJob job = NewJob.of(draw.anyOf(draw.names), draw.json(), options(), now);
    return draw.oneIn(3) && id != null ? job.withId(id) : job;
  }

  /** What comes from elsewhere half done. */
  private JobUpdate imported(Instant now) {
    JobUpdate update = JobUpdate.NONE.attemptsMade(draw.upTo(3)).progress(draw.upTo(101));
    return switch (draw.upTo(9)) {
      case 0 -> update.logs(lines());
      case 1 -> update.stacktrace(List.of("at a", "at b")).discarded(true);
      case 2, 3 -> update.state(JobState.COMPLETED).completedAt(now).returnvalue(draw.json());
      case 4 -> update.state(JobState.FAILED).failedAt(now).failedReason("elsewhere");
      case 5 -> update.state(JobState.DELAYED).delayUntil(draw.around(now));
      case 6 -> update.state(JobState.ACTIVE).processedAt(now);
      case 7 -> update.state(JobState.WAITING_CHILDREN).pendingChildrenCount(draw.upTo(3));
      default -> update;
    };
  }

  List<String> lines() {
    return IntStream.range(0, draw.oneIn(40) ? 1_001 : draw.upTo(3))
        .mapToObj(each -> each % 2 == 0 ? "line " + draw.unique() : "")
        .toList();
  }

  JobOptions options() {
    JobOptions.Builder options = lasting().toBuilder();
    if (draw.oneIn(4)) {
      options.delay(draw.oneIn(4) ? Duration.ZERO : draw.millis());
    }
    if (draw.oneIn(8)) {
      options.repeat(repeat());
    }
    if (draw.oneIn(6)) {
      options.jobId(draw.anyOf(draw.ids));
    }
    if (draw.oneIn(3)) {
      options.deduplication(deduplication());
    }
    return options.build();
  }

  /** Those that jobs of flows and schedules may have too. */
  JobOptions lasting() {
    JobOptions.Builder options = JobOptions.builder();
    if (draw.oneIn(2)) {
      options.priority(draw.anyOf(PRIORITIES));
    }
    if (draw.oneIn(5)) {
      options.lifo(!draw.oneIn(4));
    }
    if (draw.oneIn(3)) {
      options.removeOnComplete(removal());
    }
    if (draw.oneIn(3)) {
      options.removeOnFail(removal());
    }
    if (draw.oneIn(4)) {
      options.maxStalls(draw.upTo(2));
    }
    if (draw.oneIn(3)) {
      options.deadLetterQueue(draw.anyOf(draw.queues));
    }
    if (draw.oneIn(2)) {
      options.group(new JobGroup(
          draw.anyOf(draw.groups), draw.oneIn(4) ? Integer.valueOf(1 + draw.upTo(3)) : null));
    }
    if (draw.oneIn(2)) {
      options.failParentOnChildFailure(draw.anyOf(Arrays.asList(ChildFailurePolicy.values())));
    }
    if (draw.oneIn(8)) {
      options.attempts(1 + draw.upTo(5)).backoff(JobBackoff.exponential(draw.millis()));
      options.timeout(draw.millis());
      options.traceCarrier(Map.of("traceparent", "00-1-2-01", "tenant", "\u00e4 \"A\""));
    }
    return options.build();
  }

  private JobRemoval removal() {
    return switch (draw.upTo(6)) {
      case 0 -> JobRemoval.never();
      case 1 -> JobRemoval.atOnce();
      case 2 -> JobRemoval.after(draw.millis());
      case 3 -> JobRemoval.after(draw.millis()).atMost(1 + draw.upTo(2));
      default -> JobRemoval.keeping(1 + draw.upTo(2));
    };
  }

  JobRepeat repeat() {
    JobRepeat repeat = draw.oneIn(2)
        ? JobRepeat.every(draw.millis())
        : JobRepeat.cron("0 12 * * *", ZoneId.of(draw.anyOf(List.of("UTC", "Europe/Berlin"))));
    return draw.oneIn(3) ? repeat.withLimit(draw.upTo(3)) : repeat;
  }

  private JobDeduplication deduplication() {
    JobDeduplication how = draw.oneIn(6)
        ? JobDeduplication.byPayload()
        : JobDeduplication.byKey(draw.anyOf(draw.keys));
    if (draw.oneIn(2)) {
      how = how.within(draw.millis());
    }
    return how.as(draw.anyOf(Arrays.asList(JobDeduplication.Mode.values())));
  }

  /** A parent and its children, sometimes with children of their own, before or after each other. */
  List<FlowNode> flow(Instant now) {
    List<FlowNode> nodes = new ArrayList<>();
    addFamily(nodes, null, 2, now);
    return draw.oneIn(3) ? draw.inAnyOrder(nodes) : nodes;
  }

  private FlowNode addFamily(
      List<FlowNode> nodes, @Nullable FlowNode parent, int generations, Instant now) {
    String queue = draw.oneIn(2) ? draw.queues.get(0) : draw.anyOf(draw.queues);
    String id = draw.oneIn(10) ? draw.anyOf(draw.ids) : "f" + draw.unique();
    JobOptions options = lasting();
    NewJob job = NewJob.of(draw.anyOf(draw.names), draw.json(), options, now).withId(id);
    if (draw.oneIn(6)) {
      job = job.dueAt(draw.around(now));
    }
    if (parent != null) {
      job = job.childOf(parent.queueName(), String.valueOf(parent.job().id()));
    }
    FlowNode self = new FlowNode(queue, job);
    List<String> children = new ArrayList<>();
    for (int i = generations == 0 ? 0 : draw.upTo(parent == null ? 4 : 2); i > 0; i--) {
      children.add(
          String.valueOf(addFamily(nodes, self, generations - 1, now).job().id()));
    }
    FlowNode whole = new FlowNode(queue, job.parentOf(children));
    nodes.add(whole);
    return whole;
  }
}
