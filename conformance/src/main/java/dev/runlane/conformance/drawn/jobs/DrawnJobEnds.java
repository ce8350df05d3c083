package dev.runlane.conformance.drawn.jobs;

import dev.runlane.conformance.model.jobs.AndLook;
import dev.runlane.conformance.model.jobs.JobWrites;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.RateLimit;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** Hand-outs, their locks and their ends. */
final class DrawnJobEnds {
  private final JobDraw draw;
  private final DrawnJobs jobs;
  private final ShownJobs shown;

  DrawnJobEnds(JobDraw draw, DrawnJobs jobs, ShownJobs shown) {
    this.draw = draw;
    this.jobs = jobs;
    this.shown = shown;
  }

  void learn() {
    shown.learn();
  }

  Object fetch() {
    FetchJobs command = command();
    return draw.oneIn(4) ? new JobWrites.FetchOne(command) : new JobWrites.Fetch(command);
  }

  private FetchJobs command() {
    return new FetchJobs(
        draw.queue(),
        draw.anyOf(draw.workers),
        draw.millis(),
        options(),
        1 + draw.upTo(4),
        draw.now());
  }

  private FetchOptions options() {
    FetchOptions options = FetchOptions.ANY;
    if (draw.oneIn(6)) {
      options = options.lastFirst();
    }
    if (draw.oneIn(8)) {
      options = options.named(draw.anyOf(draw.names));
    }
    if (draw.oneIn(3)) {
      options = options.withGroupConcurrency(1 + draw.upTo(3));
    }
    if (draw.oneIn(6)) {
      options = options.without(Set.copyOf(draw.some(draw.groups)));
    }
    if (draw.oneIn(5)) {
      options = options.withRateLimit(
          draw.oneIn(30)
              ? new RateLimit(draw.upTo(2), Duration.ofNanos(draw.upTo(3) * 999_999L))
              : new RateLimit(1 + draw.upTo(4), draw.window));
    }
    return draw.oneIn(8) ? options.withGlobalConcurrency(1 + draw.upTo(4)) : options;
  }

  Object finish() {
    return new AndLook(new JobWrites.FinishJobs(ends(1 + draw.upTo(3))));
  }

  Object handOver() {
    return new AndLook(new JobWrites.HandOver(new FinishAndFetch(ends(draw.upTo(4)), command())));
  }

  private List<FinishJob> ends(int most) {
    return shown.locks(most).stream().map(this::end).toList();
  }

  private FinishJob end(JobLock lock) {
    Instant now = draw.now();
    return new FinishJob(
        lock, outcome(now), draw.oneIn(6) ? jobs.series(lock.jobId(), now) : null, now);
  }

  private JobOutcome outcome(Instant now) {
    return switch (draw.upTo(12)) {
      case 0, 1, 2, 3, 4 -> new JobOutcome.Completed(draw.oneIn(3) ? null : draw.json());
      case 5, 6, 7 -> new JobOutcome.Failed(reason(), draw.oneIn(2) ? null : "at " + draw.unique());
      case 8, 9 ->
        new JobOutcome.Retry(
            draw.around(now), reason(), draw.oneIn(2) ? null : "at " + draw.unique());
      case 10 -> new JobOutcome.Snooze(draw.around(now));
      default -> draw.oneIn(3) ? new JobOutcome.Cancelled() : new JobOutcome.Stalled();
    };
  }

  private String reason() {
    return draw.anyOf(List.of("", "no luck", "\u00e4\ud83d\ude00\n'", "a\0b\ud800"));
  }

  Object failOrCancel() {
    JobRef job = draw.oneIn(3) ? shown.in(JobState.ACTIVE) : shown.any();
    Instant now = draw.now();
    return switch (draw.upTo(4)) {
      case 0, 1 ->
        new AndLook(new JobWrites.FailJob(
            job.queueName(), job.jobId(), draw.anyOf(List.of("", "no luck")), now));
      case 2 -> new JobWrites.CancelJob(job.queueName(), job.jobId(), now);
      default -> new AndLook(new JobWrites.CancelOpenJob(job.queueName(), job.jobId(), now));
    };
  }

  Object lock() {
    JobRef job = shown.in(JobState.ACTIVE);
    return switch (draw.upTo(5)) {
      case 0 -> new JobWrites.ExtendLock(job.queueName(), job.jobId(), draw.millis(), draw.now());
      case 1, 2 -> new JobWrites.ExtendLocks(shown.locks(draw.upTo(4)), draw.millis(), draw.now());
      case 3 -> new JobWrites.ReleaseHeldLock(shown.lock());
      default -> new JobWrites.ReleaseLock(job.queueName(), job.jobId());
    };
  }
}
