package dev.runlane.drills.jobs;

import static dev.runlane.drills.jobs.CrashingJobs.job;
import static dev.runlane.drills.jobs.CrashingJobs.node;
import static dev.runlane.drills.jobs.CrashingJobs.once;
import static dev.runlane.drills.jobs.CrashingJobs.options;

import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobDeduplication.Mode;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.store.Obliterate;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Drains a queue, drives dead letters back, lets failed jobs run again, removes a job, deletes a queue, and
 * replaces and hurries a job by its key. Whoever continues after a death says all of it again, but for what is there.
 */
final class CrashingOperator {
  private static final String IDLE = "idle";
  private static final String DOOMED = "doomed";

  private final Jobs jobs;
  private final Vertx vertx;
  private final Set<String> known;

  CrashingOperator(Jobs jobs, Vertx vertx, Set<String> known) {
    this.jobs = jobs;
    this.vertx = vertx;
    this.known = known;
  }

  Future<Void> operate() {
    return drain()
        .compose(drained -> redrive())
        .compose(driven -> retry())
        .compose(retried -> remove())
        .compose(removed -> obliterate())
        .compose(gone -> debounce())
        .mapEmpty();
  }

  private Future<?> drain() {
    return parentOfOne("drained", IDLE).compose(added -> jobs.queue(IDLE).drain());
  }

  private Future<?> redrive() {
    JobQueue work = jobs.queue(CrashingJobs.WORK);
    return job(known, work, "revived", options("revived").deadLetterQueue(CrashingJobs.REVIVED))
        .compose(added -> untilEnded(work, "revived"))
        .compose(failed -> jobs.queue(CrashingJobs.REVIVED).redrive(10));
  }

  private Future<?> retry() {
    JobQueue again = jobs.queue(CrashingJobs.AGAIN);
    return job(known, again, "again", options("again"))
        .compose(added -> untilEnded(again, "again"))
        .compose(ended -> retryAll(again));
  }

  /** Until none is left: a call may pass over a job that somebody else is changing, be it only looking for work. */
  private Future<?> retryAll(JobQueue queue) {
    return queue
        .retryJobs(JobState.FAILED)
        .compose(retried -> queue.count(JobState.FAILED))
        .compose(left -> left == 0
            ? Future.succeededFuture()
            : vertx
                .timer(CrashingJobs.INTERVAL.toMillis(), TimeUnit.MILLISECONDS)
                .compose(later -> retryAll(queue)));
  }

  private Future<?> remove() {
    return parentOfOne("removed", DOOMED)
        .compose(added -> jobs.queue(DOOMED).getJob("removed-child"))
        .compose(found -> found.map(Job::remove).orElseGet(Future::succeededFuture));
  }

  /** The queue has a child of another queue's parent, a pause, and a schedule that would never end. */
  private Future<?> obliterate() {
    JobQueue doomed = jobs.queue(DOOMED);
    return parentOfOne("obliterated", DOOMED)
        .compose(added -> doomed.pause())
        .compose(paused -> doomed.upsertSchedule(
            "doomed", JobRepeat.every(CrashingJobs.NEVER), "tick", 1, JobOptions.NONE))
        .compose(said -> doomed.obliterate(Obliterate.IF_IDLE));
  }

  private Future<?> debounce() {
    JobQueue work = jobs.queue(CrashingJobs.WORK);
    JobOptions first = options("debounced")
        .delay(CrashingJobs.NEVER)
        .deduplication(JobDeduplication.byKey("debounced"))
        .build();
    return once(known, "debounced", () -> work.add("first", 1, first))
        .compose(added -> work.getJob("debounced"))
        .compose(found -> found.orElseThrow().state() == JobState.DELAYED
            ? work.add("second", 2, byKey(Mode.REPLACE))
                .compose(replaced -> work.add("third", 3, byKey(Mode.DEBOUNCE)))
            : Future.succeededFuture());
  }

  private static JobOptions byKey(Mode mode) {
    return JobOptions.builder()
        .deduplication(JobDeduplication.byKey("debounced").as(mode))
        .build();
  }

  /** A parent that continues when its child is gone. */
  private Future<?> parentOfOne(String name, String childQueue) {
    String parent = name + "-parent";
    String child = name + "-child";
    JobOptions.Builder patient =
        options(parent).failParentOnChildFailure(ChildFailurePolicy.IGNORE);
    return once(known, parent, () -> jobs.flows()
        .add(node(parent, CrashingJobs.PARENTS, patient)
            .after(node(child, childQueue, options(child)))));
  }

  private Future<Void> untilEnded(JobQueue queue, String jobId) {
    return queue
        .getJob(jobId)
        .compose(found -> found.orElseThrow().state().isTerminal()
            ? Future.succeededFuture()
            : vertx
                .timer(CrashingJobs.INTERVAL.toMillis(), TimeUnit.MILLISECONDS)
                .compose(later -> untilEnded(queue, jobId)));
  }
}
