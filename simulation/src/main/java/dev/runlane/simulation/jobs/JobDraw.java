package dev.runlane.simulation.jobs;

import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.queue.FlowJob;
import dev.runlane.simulation.world.Chance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Draws what callers add. */
final class JobDraw {
  /** Runs of a series, the first included. */
  static final int RUNS = 3;

  private static final Duration BLINK = Duration.ofMillis(5);
  private static final Duration LONG = Duration.ofSeconds(40);

  private JobDraw() {}

  /** The options of a job with this id. */
  static JobOptions options(Chance chance, String id, String queue) {
    JobOptions.Builder options = JobOptions.builder()
        .jobId(id)
        .attempts(chance.from(1, 4))
        .maxStalls(chance.happens(0.1) ? chance.from(0, 1) : null)
        .priority(chance.happens(0.2) ? (double) chance.from(-2, 2) : null)
        .lifo(chance.happens(0.1) ? true : null)
        .delay(
            chance.happens(0.2) ? Duration.ofMillis(chance.duration(BLINK, LONG).toMillis()) : null)
        .timeout(chance.happens(0.3) ? Duration.ofSeconds(chance.from(1, 30)) : null)
        .deadLetterQueue(chance.happens(0.1) ? JobQueues.LETTERS : null);
    if (chance.happens(0.6)) {
      Duration pause = Duration.ofMillis(chance.from(1, 5_000));
      options.backoff(
          chance.happens(0.5) ? JobBackoff.fixed(pause) : JobBackoff.exponential(pause));
    }
    if (queue.equals(JobQueues.GROUPED) && chance.happens(0.9)) {
      options.group(JobGroup.of("g" + chance.from(1, 3)));
    }
    if (chance.happens(0.15)) {
      options.removeOnComplete(
          chance.happens(0.5) ? JobRemoval.atOnce() : JobRemoval.keeping(chance.from(1, 3)));
    }
    if (chance.happens(0.1)) {
      options.removeOnFail(JobRemoval.atOnce());
    }
    return options.build();
  }

  /** The same, for a job that stands for one of a few keys, or comes again. */
  static JobOptions plain(Chance chance, String id, String queue) {
    JobOptions.Builder options = options(chance, id, queue).toBuilder();
    if (chance.happens(0.2)) {
      options.deduplication(JobDeduplication.byKey("k" + chance.from(1, 2)));
    } else if (chance.happens(0.08)) {
      options.repeat(JobRepeat.every(Duration.ofSeconds(chance.from(5, 40))).withLimit(RUNS - 1));
    }
    return options.build();
  }

  /** A parent and its children, of which one may have children too. */
  static FlowJob flow(Chance chance, String id, int depth) {
    List<FlowJob> children = new ArrayList<>();
    int count = depth == 0 ? 0 : chance.from(1, 3);
    for (int number = 1; number <= count; number++) {
      children.add(flow(chance, id + "." + number, chance.happens(0.3) ? depth - 1 : 0));
    }
    String queue = children.isEmpty() ? chance.one(JobQueues.WORKED_ON) : JobQueues.PLAIN;
    JobOptions options = options(chance, id, queue).toBuilder()
        .failParentOnChildFailure(chance.one(List.of(ChildFailurePolicy.values())))
        .build();
    return new FlowJob(id, queue, null, options, children);
  }
}
