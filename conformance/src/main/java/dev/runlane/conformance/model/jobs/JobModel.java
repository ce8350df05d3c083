package dev.runlane.conformance.model.jobs;

import dev.runlane.conformance.model.Names;
import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.JobUpdate;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.FailedJobsFilter;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishAndFetch;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedAndFetched;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.FireSchedule;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.JobTransitions;
import dev.runlane.jobs.store.LockStatus;
import dev.runlane.jobs.store.Obliterate;
import dev.runlane.jobs.store.SavedJob;
import dev.runlane.jobs.store.UpsertSchedule;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.json.StorableText;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The contract of job stores as plain code: one list of jobs, and a loop for each question. What a store may choose it
 * takes from the store's own answer, as far as the contract allows that.
 */
public final class JobModel extends JobModelReads {
  private final ModelSaves saves;
  private final ModelEnds ends;

  /** Without jobs. */
  public JobModel(Names names) {
    this(new ModelJobs(names));
  }

  private JobModel(ModelJobs jobs) {
    this(jobs, new ModelSaves(jobs));
  }

  private JobModel(ModelJobs jobs, ModelSaves saves) {
    super(jobs, new ModelFetches(jobs), new ModelSchedules(jobs, saves), new ModelMetrics());
    this.saves = saves;
    this.ends = new ModelEnds(jobs, saves, metrics);
  }

  /**
   * The right answer; throws the right failure.
   *
   * @param answer what the store has answered, or null where it failed
   */
  public @Nullable Object answer(JobCommand command, @Nullable Object answer) {
    jobs.follow(answer);
    if (command instanceof AndLook look) {
      Object result = resultOf(look.command());
      Supplier<List<JobData>> left = () -> newest(job -> true, 0, Integer.MAX_VALUE);
      return new AndLook.Answer(result, left);
    }
    return resultOf(command);
  }

  private @Nullable Object resultOf(JobCommand command) {
    Future<?> expected = command.to(this);
    if (expected.cause() instanceof RunlaneException refusal) {
      throw refusal;
    }
    if (expected.failed()) {
      throw new AssertionError("the model has a fault", expected.cause());
    }
    return expected.result();
  }

  /**
   * Lets the next command pass over jobs that commands beside it may hold: a fetch over those that its answer does not
   * name, a command to many jobs over those of which {@code maybe} says so.
   */
  public void letPassOver(Predicate<JobData> mayBeHeld, BooleanSupplier maybe) {
    jobs.letPassOver(mayBeHeld, maybe);
  }

  /** Whether what follows from the command hangs on an order that nobody promises. */
  public boolean isOpenWhatFollows(JobCommand command) {
    JobCommand bare = command instanceof AndLook look ? look.command() : command;
    if (bare instanceof JobWrites.FinishJobs finish) {
      return ends.isOrderOpen(finish.commands());
    }
    if (bare instanceof JobWrites.HandOver handOver) {
      return ends.isOrderOpen(handOver.command().finished());
    }
    if (bare instanceof JobWrites.Drain drain) {
      return hasParentsElsewhere(drain.queueName());
    }
    if (bare instanceof JobWebhookCalls.Claim claim) {
      return jobs.webhooks.isOpen(claim.command().webhookIds());
    }
    return bare instanceof JobWrites.ObliterateQueue obliterate
        && hasParentsElsewhere(obliterate.queueName());
  }

  /** Whether more than one parent learns that jobs which go together are gone. */
  private boolean hasParentsElsewhere(String queueName) {
    return jobs.in(queueName)
            .filter(row -> row.isOpen() && !row.counted)
            .flatMap(row -> ends.parentOf(row.job).stream())
            .filter(parent -> !parent.job.queueName().equals(queueName))
            .distinct()
            .count()
        > 1;
  }

  @Override
  public Future<List<SavedJob>> saveJobs(String queueName, List<NewJob> all, Instant now) {
    return answer(() -> {
      JobChecks.check(queueName, all);
      JobChecks.requireInstant("now", now);
      return saves.saveAll(queueName, all, millis(now));
    });
  }

  @Override
  public Future<Void> updateJob(String queueName, String jobId, JobUpdate updates) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.check(updates);
      jobs.find(queueName, jobId).ifPresent(row -> write(row, updates));
      return null;
    });
  }

  @Override
  public Future<Boolean> updateJob(JobLock lock, JobUpdate updates) {
    return answer(() -> {
      JobChecks.requireLock(lock);
      JobChecks.check(updates);
      Optional<ModelJob> held = ends.held(lock);
      held.ifPresent(row -> write(row, updates));
      return held.isPresent();
    });
  }

  @Override
  public Future<Void> updateJob(
      String queueName, String jobId, JobUpdate updates, List<JobState> expectedStates) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.check(updates);
      Optional<ModelJob> row = jobs.find(queueName, jobId);
      String state = row.map(found -> found.job.state().value()).orElse("unknown");
      if (row.filter(found -> expectedStates.contains(found.job.state())).isEmpty()) {
        throw RunlaneException.conflict(StorageConflictKind.JOB_STATE, "the job is %s", state)
            .withMeta("jobId", jobId)
            .withMeta("currentState", state)
            .withMeta(
                "expectedStates",
                String.join(",", expectedStates.stream().map(JobState::value).toList()));
      }
      row.ifPresent(found -> write(found, updates));
      return null;
    });
  }

  private void write(ModelJob row, JobUpdate updates) {
    row.keepCompletion();
    jobs.change(row, ModelJob.withoutLists(updates.applyTo(row.job)));
    row.writeLists(updates);
    JobState state = updates.stateOrNull();
    if (state != null && state.isTerminal()) {
      metrics.count(row.job);
    }
  }

  @Override
  public Future<List<JobChange>> removeJob(String queueName, String jobId, Instant now) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireInstant("now", now);
      return ends.remove(jobs.find(queueName, jobId).stream().toList(), millis(now));
    });
  }

  @Override
  public Future<List<JobData>> fetchNextJobs(FetchJobs command) {
    return answer(() -> {
      JobChecks.check(command);
      return fetches.fetch(
          command,
          waitingIn(command.queueName()).stream().filter(jobs::isLeftToOthers).toList());
    });
  }

  @Override
  public Future<Boolean> extendLock(
      String queueName, String jobId, Duration duration, Instant now) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireLock(duration, now);
      Optional<ModelJob> active = active(queueName, jobId);
      active.ifPresent(row -> lockUntil(row, millis(now).plus(duration)));
      return active.isPresent();
    });
  }

  @Override
  public Future<List<LockStatus>> extendLocks(List<JobLock> locks, Duration duration, Instant now) {
    return answer(() -> {
      JobChecks.requireLocks(locks);
      JobChecks.requireLock(duration, now);
      return locks.stream()
          .map(lock -> ends.held(lock)
              .map(row -> extended(row, millis(now).plus(duration)))
              .orElse(LockStatus.LOST))
          .toList();
    });
  }

  /** "A lock never gets shorter." */
  private LockStatus extended(ModelJob row, Instant until) {
    Instant before = row.job.lockUntil();
    if (before == null || before.isBefore(until)) {
      lockUntil(row, until);
    }
    return row.job.cancelledAt() == null ? LockStatus.HELD : LockStatus.HELD_CANCELLED;
  }

  private void lockUntil(ModelJob row, Instant until) {
    jobs.change(row, row.job.toBuilder().lockUntil(until).build());
  }

  @Override
  public Future<Void> releaseLock(String queueName, String jobId) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      jobs.find(queueName, jobId).ifPresent(this::unlock);
      return null;
    });
  }

  @Override
  public Future<Boolean> releaseLock(JobLock lock) {
    return answer(() -> {
      JobChecks.requireLock(lock);
      Optional<ModelJob> held = ends.held(lock);
      held.ifPresent(this::unlock);
      return held.isPresent();
    });
  }

  private void unlock(ModelJob row) {
    jobs.change(
        row, row.job.toBuilder().lockUntil(null).lockedBy(null).lockToken(null).build());
  }

  @Override
  public Future<List<FinishResult>> finishJobs(List<FinishJob> commands) {
    return answer(() -> {
      JobChecks.check(commands);
      return ends.finish(commands);
    });
  }

  @Override
  public Future<FinishedAndFetched> finishAndFetch(FinishAndFetch command) {
    return answer(() -> {
      JobChecks.check(command);
      List<ModelJob> waiting = waitingIn(command.fetch().queueName());
      List<FinishResult> results = ends.finish(command.finished());
      List<ModelJob> waitingSince = waitingIn(command.fetch().queueName()).stream()
          .filter(row -> !waiting.contains(row))
          .toList();
      List<JobData> fetched = fetches.fetchAfterEnds(command.fetch(), waitingSince);
      return new FinishedAndFetched(results, fetched);
    });
  }

  /**
   * A job that waits since the ends of the same call "may be handed out by this very call": others may come instead of
   * it, but no place stays empty because of it.
   */
  private List<ModelJob> waitingIn(String queueName) {
    return jobs.in(queueName, JobState.WAITING).toList();
  }

  @Override
  public Future<Optional<FinishedJob>> failJob(
      String queueName, String jobId, String reason, Instant now) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireInstant("now", now);
      StorableText.require("reason", reason);
      return jobs.find(queueName, jobId).flatMap(row -> ends.fail(row, reason, millis(now)));
    });
  }

  @Override
  public Future<Boolean> cancelJob(String queueName, String jobId, Instant now) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireInstant("now", now);
      Optional<ModelJob> active = active(queueName, jobId);
      active.ifPresent(row -> ends.cancel(row, millis(now)));
      return active.isPresent();
    });
  }

  @Override
  public Future<CancelResult> cancelOpenJob(String queueName, String jobId, Instant now) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireInstant("now", now);
      return jobs.find(queueName, jobId)
          .map(row -> ends.cancel(row, millis(now)))
          .orElseGet(CancelResult.Unchanged::new);
    });
  }

  @Override
  public Future<Boolean> appendLog(String queueName, String jobId, String line) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      JobChecks.requireLine(line);
      Optional<ModelJob> row = jobs.find(queueName, jobId);
      row.ifPresent(found -> found.addLine(line));
      return row.isPresent();
    });
  }

  @Override
  public Future<Boolean> appendLog(JobLock lock, String line) {
    return answer(() -> {
      JobChecks.requireLock(lock);
      JobChecks.requireLine(line);
      Optional<ModelJob> held = ends.held(lock);
      held.ifPresent(found -> found.addLine(line));
      return held.isPresent();
    });
  }

  @Override
  public Future<Void> clearLogs(String queueName, String jobId) {
    return answer(() -> {
      JobChecks.requireJob(queueName, jobId);
      jobs.find(queueName, jobId).ifPresent(ModelJob::clearLogs);
      return null;
    });
  }

  @Override
  public Future<Integer> promoteDelayedJobs(String queueName, Instant timestamp) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("timestamp", timestamp);
      return promote(jobs.in(queueName, JobState.DELAYED)
          .filter(row ->
              row.job.delayUntil() != null && !row.job.delayUntil().isAfter(millis(timestamp))));
    });
  }

  @Override
  public Future<Integer> promoteJobs(String queueName) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      return promote(jobs.in(queueName, JobState.DELAYED));
    });
  }

  private int promote(Stream<ModelJob> rows) {
    List<ModelJob> all = notPassedOver(rows);
    all.forEach(row -> jobs.change(
        row, row.job.toBuilder().state(JobState.WAITING).delayUntil(null).build()));
    return all.size();
  }

  @Override
  public Future<Void> pauseJobName(String queueName, String jobName) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireName(jobName);
      fetches.pause(queueName, jobName);
      return null;
    });
  }

  @Override
  public Future<Void> resumeJobName(String queueName, String jobName) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireName(jobName);
      fetches.resume(queueName, jobName);
      return null;
    });
  }

  /** "Removes terminal jobs that ended more than grace ago." */
  @Override
  public Future<Integer> clean(String queueName, JobState state, Duration grace, Instant now) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireTerminal(state);
      JobChecks.requireGrace(grace, now);
      return removeEnded(jobs.in(queueName, state)
          .filter(row -> row.endedAt()
              .filter(end -> end.isBefore(millis(now).minus(grace)))
              .isPresent())
          .filter(row -> !jobs.isPassedOver(row)));
    });
  }

  /** "Terminal jobs that their options' age has made due, the first due first." */
  @Override
  public Future<Integer> removeExpiredJobs(String queueName, Instant now, int limit) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("now", now);
      JobChecks.requireLimit(limit);
      return removeEnded(jobs.in(queueName)
          .filter(row -> !row.isOpen())
          .filter(row -> row.expiresAt().filter(at -> !at.isAfter(millis(now))).isPresent())
          .filter(row -> !jobs.isPassedOver(row))
          .sorted(Comparator.<ModelJob, Instant>comparing(row -> row.expiresAt().orElseThrow())
              .thenComparing(jobs::isLeft))
          .limit(limit));
    });
  }

  private int removeEnded(Stream<ModelJob> rows) {
    List<ModelJob> all = rows.toList();
    all.forEach(jobs::remove);
    return all.size();
  }

  /** "A job that somebody else is changing at that moment may be passed over." */
  private List<ModelJob> notPassedOver(Stream<ModelJob> rows) {
    return rows.filter(row -> !jobs.isPassedOver(row)).toList();
  }

  @Override
  public Future<List<JobChange>> drain(String queueName, Instant now) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("now", now);
      List<ModelJob> going = notPassedOver(
          jobs.in(queueName).filter(row -> row.isOpen() && row.job.state() != JobState.ACTIVE));
      return jobs.inShownOrder(ends.remove(going, millis(now)));
    });
  }

  @Override
  public Future<List<JobChange>> obliterate(String queueName, Obliterate how, Instant now) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireInstant("now", now);
      if (how == Obliterate.IF_IDLE
          && jobs.in(queueName, JobState.ACTIVE).findAny().isPresent()) {
        throw RunlaneException.conflict(StorageConflictKind.JOB_STATE, "a job is active");
      }
      List<JobChange> changed = ends.remove(notPassedOver(jobs.in(queueName)), millis(now));
      removeEnded(jobs.in(queueName)); // copies of parents that failed by it
      fetches.forget(queueName);
      schedules.forget(queueName);
      metrics.forget(queueName);
      return jobs.inShownOrder(changed);
    });
  }

  /** "Of several that come back together the last to end comes first." */
  @Override
  public Future<Integer> retryJobs(String queueName, JobState state) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      return retry(jobs.in(queueName, state).filter(row -> !row.isOpen()));
    });
  }

  private int retry(Stream<ModelJob> ended) {
    List<ModelJob> all = notPassedOver(ended).stream()
        .sorted(Comparator.<ModelJob, Instant>comparing(row -> row.endedAt().orElse(Instant.MAX))
            .reversed()
            .thenComparing(row -> !jobs.isLeftWithKey(row)))
        .toList();
    for (ModelJob row : all) {
      row.keepCompletion();
      jobs.change(row, JobTransitions.retried(row.job));
      row.clearStacks();
    }
    return all.size();
  }

  /** "Those failed jobs that fit." */
  @Override
  public Future<Integer> retryJobs(String queueName, FailedJobsFilter filter) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.check(filter);
      return retry(failed(queueName, filter));
    });
  }

  /** "Waiting jobs …, oldest first, … with its options and a new id." */
  @Override
  public Future<List<JobRef>> redriveDeadLetters(String queueName, int limit, Instant now) {
    return answer(() -> {
      JobChecks.requireQueue(queueName);
      JobChecks.requireLimit(limit);
      JobChecks.requireInstant("now", now);
      List<JobRef> stored = new ArrayList<>();
      for (ModelJob row : jobs.in(queueName, JobState.WAITING)
          .filter(each -> each.job.deadLetter() != null && !jobs.isPassedOver(each))
          .sorted(ModelJobs.OLDEST_FIRST.thenComparing(jobs::isLeft))
          .limit(limit)
          .toList()) {
        stored.add(redriven(row, millis(now)));
      }
      return stored;
    });
  }

  private JobRef redriven(ModelJob row, Instant now) {
    DeadLetter origin = Objects.requireNonNull(row.job.deadLetter());
    NewJob job = NewJob.of(
        row.job.name(), row.job.data(), origin.options().toBuilder().jobId(null).build(), now);
    jobs.remove(row);
    return new JobRef(
        origin.queueName(), saves.save(origin.queueName(), job, null, now).id());
  }

  @Override
  public Future<List<String>> saveFlow(List<FlowNode> nodes, Instant now) {
    return answer(() -> {
      JobChecks.checkFlow(nodes);
      JobChecks.requireInstant("now", now);
      return saves.saveFlow(nodes);
    });
  }

  @Override
  public Future<JobState> notifyChildCompleted(
      String parentQueueName, String parentId, Instant now) {
    return answer(() -> {
      JobChecks.requireJob(parentQueueName, parentId);
      JobChecks.requireInstant("now", now);
      Optional<ModelJob> parent = jobs.find(parentQueueName, parentId)
          .filter(row -> row.job.state() == JobState.WAITING_CHILDREN);
      parent.ifPresent(row -> jobs.change(row, JobTransitions.childDone(row.job, millis(now))));
      return parent.map(row -> row.job.state()).orElse(JobState.COMPLETED);
    });
  }

  @Override
  public Future<Boolean> failParentOnChildFailure(
      String parentQueueName, String parentId, String reason, Instant now) {
    return answer(() -> {
      JobChecks.requireJob(parentQueueName, parentId);
      JobChecks.requireInstant("now", now);
      StorableText.require("reason", reason);
      Optional<ModelJob> parent = jobs.find(parentQueueName, parentId)
          .filter(row ->
              row.job.state() == JobState.WAITING_CHILDREN || row.job.state() == JobState.WAITING);
      parent.ifPresent(row -> jobs.change(
          row, JobTransitions.failed(row.job, JobTransitions.CHILD_FAILED + reason, millis(now))));
      return parent.isPresent();
    });
  }

  @Override
  public Future<JobSchedule> upsertSchedule(UpsertSchedule command) {
    return answer(() -> {
      JobChecks.check(command);
      return schedules.upsert(command);
    });
  }

  @Override
  public Future<Boolean> removeSchedule(String queueName, String key) {
    return answer(() -> {
      JobChecks.requireSchedule(queueName, key);
      return schedules.remove(queueName, key);
    });
  }

  @Override
  public Future<Optional<SavedJob>> fireSchedule(FireSchedule command) {
    return answer(() -> {
      JobChecks.check(command);
      return schedules.fire(command);
    });
  }

  @Override
  public Optional<JobWebhookStore> webhooks() {
    return Optional.of(jobs.webhooks);
  }

  private Optional<ModelJob> active(String queueName, String jobId) {
    return jobs.find(queueName, jobId).filter(row -> row.job.state() == JobState.ACTIVE);
  }
}
