package dev.runlane.conformance.drawn.jobs;

import dev.runlane.conformance.model.jobs.AndLook;
import dev.runlane.conformance.model.jobs.JobModel;
import dev.runlane.conformance.model.jobs.JobWrites;
import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobTimes;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.UpsertSchedule;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** What changes jobs beside their hand-outs. */
final class DrawnJobWrites {
  private final JobDraw draw;
  private final JobModel model;
  private final DrawnJobs jobs;
  private final ShownJobs shown;

  DrawnJobWrites(JobDraw draw, JobModel model, DrawnJobs jobs, ShownJobs shown) {
    this.draw = draw;
    this.model = model;
    this.jobs = jobs;
    this.shown = shown;
  }

  Object save() {
    Instant now = draw.now();
    String queue = draw.queue();
    if (draw.oneIn(3)) {
      return new JobWrites.SaveJob(queue, jobs.job(now), now);
    }
    List<NewJob> several =
        IntStream.range(0, draw.upTo(5)).mapToObj(each -> jobs.job(now)).toList();
    return new JobWrites.SaveJobs(queue, several, now);
  }

  Object saveFlow() {
    Instant now = draw.now();
    return new JobWrites.SaveFlow(jobs.flow(now), now);
  }

  Object update() {
    JobRef job = shown.any();
    return switch (draw.upTo(3)) {
      case 0 -> new JobWrites.UpdateJob(job.queueName(), job.jobId(), update(draw.now()));
      case 1 -> new JobWrites.UpdateHeldJob(shown.lock(), update(draw.now()));
      default ->
        new JobWrites.UpdateExpectedJob(
            job.queueName(),
            job.jobId(),
            update(draw.now()),
            draw.some(Arrays.asList(JobState.values())));
    };
  }

  private JobUpdate update(Instant now) {
    JobUpdate update = another(JobUpdate.NONE, now);
    return draw.oneIn(3) ? another(update, now) : update;
  }

  /** These fields and others, or the same with other values. */
  private JobUpdate another(JobUpdate update, Instant now) {
    return switch (draw.upTo(20)) {
      case 0, 1 -> update.progress(draw.upTo(103) - 1);
      case 2 -> update.data(draw.json());
      case 3 -> update.logs(jobs.lines());
      case 4 -> update.stacktrace(List.of("at " + draw.unique()));
      case 5 -> update.options(jobs.options());
      case 6 -> update.discarded(true);
      case 7 -> update.state(JobState.COMPLETED).completedAt(now).returnvalue(draw.json());
      case 8 -> update.state(JobState.FAILED).failedAt(now).failedReason("by hand");
      case 9 -> update.state(JobState.WAITING);
      case 10 -> update.state(JobState.DELAYED).delayUntil(draw.around(now));
      case 11, 12 -> update.deduplicationKey(draw.oneIn(4) ? null : draw.anyOf(draw.keys));
      case 13 -> update.groupId(draw.oneIn(4) ? null : draw.anyOf(draw.groups));
      case 14 -> update.state(JobState.WAITING_CHILDREN).pendingChildrenCount(draw.upTo(3));
      case 15 -> update.state(JobState.ACTIVE);
      case 16 -> update.delayUntil(draw.oneIn(3) ? null : draw.around(now));
      case 17 -> update.returnvalue(draw.oneIn(3) ? null : draw.json()).processedAt(now);
      case 18 -> update.attemptLogs(List.of(handOut(now)));
      default -> update.attemptsMade(draw.upTo(4)).failedReason(draw.oneIn(2) ? null : "a\u00e4");
    };
  }

  private AttemptRecord handOut(Instant now) {
    return new AttemptRecord(
        1 + draw.upTo(2),
        now,
        draw.oneIn(3) ? null : now,
        AttemptRecord.Status.FAILED,
        "elsewhere",
        null,
        draw.oneIn(2) ? List.of() : List.of("line " + draw.unique()));
  }

  Object log() {
    JobRef job = shown.any();
    String line = "line " + draw.unique();
    return switch (draw.upTo(5)) {
      case 0, 1 -> new JobWrites.AppendLog(job.queueName(), job.jobId(), line);
      case 2, 3 -> new JobWrites.AppendHeldLog(shown.lock(), line);
      default -> new JobWrites.ClearLogs(job.queueName(), job.jobId());
    };
  }

  Object remove() {
    JobRef job = shown.any();
    return new JobWrites.RemoveJob(job.queueName(), job.jobId(), draw.now());
  }

  Object promote() {
    return draw.oneIn(4)
        ? new JobWrites.PromoteJobs(draw.queue())
        : new JobWrites.PromoteDelayedJobs(draw.queue(), draw.now());
  }

  Object pause() {
    String name = draw.oneIn(3) ? JobStore.ALL : draw.anyOf(draw.names);
    return draw.oneIn(2)
        ? new JobWrites.PauseJobName(draw.queue(), name)
        : new JobWrites.ResumeJobName(draw.queue(), name);
  }

  Object retry() {
    return new AndLook(
        draw.oneIn(3)
            ? retryFailed(draw.queue())
            : new JobWrites.RetryJobs(draw.queue(), draw.anyOf(Arrays.asList(JobState.values()))));
  }

  private JobWrites.RetryFailedJobs retryFailed(String queue) {
    String name = draw.oneIn(2) ? null : draw.anyOf(draw.names);
    String group = draw.oneIn(3) ? draw.anyOf(draw.groups) : null;
    Instant made = draw.oneIn(3) ? lastMadeOfFailed(queue).orElseGet(draw::now) : null;
    boolean withCancelled = draw.oneIn(2);
    return new JobWrites.RetryFailedJobs(
        queue,
        withCancelled
            ? new FailedJobsFilter(name, group, made, null, true)
            : new FailedJobsFilter(name, group, null, made, false));
  }

  private Optional<Instant> lastMadeOfFailed(String queue) {
    return model.jobs().stream()
        .filter(job -> job.queueName().equals(queue) && job.state() == JobState.FAILED)
        .map(JobData::createdAt)
        .max(Comparator.naturalOrder());
  }

  Object clean() {
    JobRef job = shown.any(each -> each.state().isTerminal());
    return draw.oneIn(2)
        ? cleanBy(job)
        : new AndLook(
            new JobWrites.RemoveExpiredJobs(job.queueName(), draw.now(), 1 + draw.upTo(2)));
  }

  /** Often by the very age of a job. */
  private Object cleanBy(JobRef ref) {
    Instant now = draw.now();
    Optional<JobData> job = model.jobs().stream()
        .filter(each -> each.id().equals(ref.jobId()) && each.state().isTerminal())
        .findFirst();
    Duration age = job.flatMap(each -> Optional.ofNullable(
            each.state() == JobState.COMPLETED ? each.completedAt() : each.failedAt()))
        .map(end -> Duration.between(end, JobTimes.millis(now)))
        .filter(since -> !since.isNegative() && draw.oneIn(2))
        .orElse(Duration.ZERO);
    return new JobWrites.Clean(
        ref.queueName(), job.map(JobData::state).orElse(JobState.FAILED), age, now);
  }

  Object family() {
    JobRef parent = shown.any(job -> !job.childrenIds().isEmpty());
    return draw.oneIn(2)
        ? new JobWrites.NotifyChildCompleted(parent.queueName(), parent.jobId(), draw.now())
        : new JobWrites.FailParent(parent.queueName(), parent.jobId(), "no child", draw.now());
  }

  Object drainOrObliterate() {
    return draw.oneIn(2)
        ? new JobWrites.Drain(draw.queue(), draw.now())
        : new JobWrites.ObliterateQueue(
            draw.queue(), draw.anyOf(Arrays.asList(Obliterate.values())), draw.now());
  }

  Object redrive() {
    List<String> queues = model.jobs().stream()
        .filter(job -> job.deadLetter() != null)
        .map(JobData::queueName)
        .toList();
    return new AndLook(new JobWrites.RedriveDeadLetters(
        queues.isEmpty() ? draw.queue() : draw.anyOf(queues), 1 + draw.upTo(2), draw.now()));
  }

  Object schedule() {
    List<JobSchedule> due =
        model.schedules().stream().filter(each -> each.nextAt() != null).toList();
    if (draw.oneIn(8)) {
      return new JobWrites.RemoveSchedule(draw.queue(), draw.anyOf(draw.keys).substring(0, 1));
    }
    return due.isEmpty() || draw.oneIn(2) ? upsert() : fire(draw.anyOf(due));
  }

  private Object upsert() {
    Instant now = draw.now();
    return new JobWrites.Upsert(new UpsertSchedule(
        draw.queue(),
        draw.anyOf(draw.keys).substring(0, 1),
        draw.anyOf(draw.names),
        draw.json(),
        jobs.lasting(),
        jobs.repeat(),
        draw.oneIn(5) ? null : draw.around(now),
        now));
  }

  private Object fire(JobSchedule schedule) {
    Instant now = draw.now();
    Instant next = schedule.nextAt();
    Instant dueAt = next == null || draw.oneIn(8) ? now : next;
    return new JobWrites.Fire(new FireSchedule(
        schedule.queueName(),
        schedule.key(),
        dueAt,
        draw.oneIn(8) ? JobRepeat.every(Duration.ofDays(3)) : schedule.repeat(),
        jobs.series(null, now),
        draw.oneIn(5) ? null : dueAt.plus(draw.millis()),
        now));
  }
}
