package dev.runlane.jobs.queue.attempt;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobEvent;
import dev.runlane.jobs.queue.job.JobEventBus;
import dev.runlane.jobs.queue.process.ChangeEvents;
import dev.runlane.jobs.queue.process.JobsContext;
import dev.runlane.jobs.queue.schedule.Series;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts jobs back whose workers were lost. The loss has a budget of its own, beside that of attempts; past it the
 * job fails for good.
 */
public final class StallCheck {
  private static final Logger LOG = LoggerFactory.getLogger(StallCheck.class);

  /** Jobs looked at in one sweep. */
  private static final int LIMIT = 200;

  private final JobsContext jobs;
  private final String queueName;
  private final JobEventBus events;

  public StallCheck(JobsContext jobs, String queueName, JobEventBus events) {
    this.jobs = jobs;
    this.queueName = queueName;
    this.events = events;
  }

  public Future<Boolean> sweepOnce() {
    return jobs.store().getStalledJobs(queueName, jobs.clock().now(), LIMIT).compose(found -> {
      // A lock of this process is renewed as long as its handler runs, whatever the clock says
      // since.
      List<JobData> lost = found.stream()
          .filter(job -> job.lockToken() != null && !jobs.locks().holds(job.lock()))
          .toList();
      return lost.isEmpty()
          ? Future.succeededFuture(false)
          : recover(lost)
              .map(done -> found.size() > LIMIT / 2); // of a full page some cannot be read
    });
  }

  /** Each by itself: one that cannot be put back keeps nobody from hearing of the others. */
  private Future<?> recover(List<JobData> lost) {
    Instant now = jobs.clock().now();
    return Future.join(lost.stream().map(job -> recover(job, now)).toList());
  }

  private Future<?> recover(JobData job, Instant now) {
    FinishJob command = new FinishJob(job.lock(), new JobOutcome.Stalled(), next(job, now), now);
    return jobs.store().finishJob(command).map(result -> {
      if (result instanceof FinishResult.Finished finished) {
        stalled(job, finished, now);
      }
      return null;
    });
  }

  private void stalled(JobData job, FinishResult.Finished finished, Instant now) {
    AttemptLog.lost(LOG, job, finished.change().job());
    List<StoreEvent> told = new ArrayList<>(ChangeEvents.of(finished.change(), null, now));
    told.add(StoreEvent.of(StoreEventType.JOB_STALLED, queueName, job.id(), now));
    jobs.changed(told);
    if (finished.change().job().state() == JobState.FAILED) {
      events.emit(JobEvent.about(JobEvent.Type.FAILED, new Job(jobs, job))
          .withError(RunlaneException.of(
              ErrorCode.TASK_FAILED,
              "%s",
              String.valueOf(finished.change().job().failedReason()))));
    }
    events.emit(JobEvent.about(JobEvent.Type.STALLED, queueName, job.id()));
  }

  private @Nullable NewJob next(JobData job, Instant now) {
    return Series.next(job, now, unreadable -> events.emit(JobEvent.error(queueName, unreadable)));
  }
}
