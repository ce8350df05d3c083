package dev.runlane.jobs.memory;

import dev.runlane.jobs.ChildFailurePolicy;
import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.CancelResult;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.jobs.store.FinishedJob;
import dev.runlane.jobs.store.JobChange;
import dev.runlane.jobs.store.JobTransitions;
import dev.runlane.jobs.store.SavedJob;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Ends jobs and removes them, with all that follows for their neighbours. */
final class JobEnds {
  private static final int MOST_REMOVED_BY_COUNT = 1_000;

  private final JobTable table;
  private final JobSaves saves;
  private final JobMetrics metrics;

  JobEnds(JobTable table, JobSaves saves, JobMetrics metrics) {
    this.table = table;
    this.saves = saves;
    this.metrics = metrics;
  }

  /** The row, if it is active under this token. */
  Optional<JobRow> held(JobLock lock) {
    return table
        .find(lock.queueName(), lock.jobId())
        .filter(row -> row.job.state() == JobState.ACTIVE)
        .filter(row -> lock.token().equals(row.job.lockToken()));
  }

  FinishResult finish(FinishJob command) {
    boolean stalls = command.outcome() instanceof JobOutcome.Stalled;
    return held(command.lock())
        .filter(row -> !stalls || isOver(row.job, command.now()))
        .<FinishResult>map(row -> new FinishResult.Finished(finished(row, command)))
        .orElseGet(FinishResult.LockLost::new);
  }

  Optional<FinishedJob> fail(JobRow row, String reason, Instant now) {
    if (row.job.state().isTerminal()) {
      return Optional.empty();
    }
    JobOutcome outcome = new JobOutcome.Failed(reason, null);
    if (row.job.state() == JobState.ACTIVE) {
      row.addAttempt(JobTransitions.attempt(row.job, outcome, List.of(), now));
    }
    table.put(row, JobTransitions.failed(row.job, reason, now));
    return Optional.of(ended(row, null, now));
  }

  CancelResult cancel(JobRow row, Instant now) {
    if (row.job.state().isTerminal() || row.job.cancelledAt() != null) {
      return new CancelResult.Unchanged();
    }
    if (row.job.state() == JobState.ACTIVE) {
      table.put(row, row.job.toBuilder().cancelledAt(now).build());
      return new CancelResult.Requested();
    }
    table.put(row, JobTransitions.cancelled(row.job, now));
    return new CancelResult.Ended(ended(row, null, now));
  }

  /** Removes jobs; those that were open count for parents that stay. */
  List<JobChange> remove(Collection<JobRow> rows, Instant now) {
    rows.forEach(table::remove);
    List<JobChange> changed = new ArrayList<>();
    rows.stream()
        .filter(JobRow::isOpenChild)
        .forEach(row -> childEnded(
            row.job, false, JobTransitions.REMOVED_REASON, now, changed, new ArrayList<>()));
    return asTheyAre(changed);
  }

  private FinishedJob finished(JobRow row, FinishJob command) {
    row.addAttempt(JobTransitions.attempt(row.job, command.outcome(), List.of(), command.now()));
    table.put(row, JobTransitions.ended(row.job, command));
    return row.job.state().isTerminal()
        ? ended(row, command, command.now())
        : new FinishedJob(JobChange.of(row.job, false), List.of(), null, null);
  }

  /** What follows when a job has ended for good. */
  private FinishedJob ended(JobRow row, @Nullable FinishJob command, Instant now) {
    List<JobChange> ancestors = new ArrayList<>();
    List<JobRow> endedHere = new ArrayList<>();
    JobRef copy = settled(row, now, endedHere);
    if (row.job.parentId() != null && !row.countedForParent) {
      row.countedForParent = true;
      childEnded(
          row.job,
          row.job.state() == JobState.COMPLETED,
          Objects.requireNonNullElse(row.job.failedReason(), ""),
          now,
          ancestors,
          endedHere);
    }
    JobChange change = JobChange.of(row.job, isGone(row.job));
    List<JobChange> changed = asTheyAre(ancestors); // before the next job may have the id of one
    NewJob following = command == null ? null : JobTransitions.next(row.job, command);
    SavedJob next =
        following == null ? null : saves.save(row.job.queueName(), following, null, now);
    return new FinishedJob(change, changed, next, copy);
  }

  /**
   * Metrics, the copy in the dead-letter queue, and removal.
   *
   * @param endedHere the jobs that the command has ended, which gets this one
   */
  private @Nullable JobRef settled(JobRow row, Instant now, List<JobRow> endedHere) {
    metrics.count(row.job);
    JobRef copy = deadLetter(row.job, now);
    JobRemoval removal = row.job.options().removalAfter(row.job.state());
    if (removal != null && removal.isAtOnce()) {
      table.remove(row);
      return copy;
    }
    endedHere.add(row);
    if (removal != null && removal.count() != null) {
      keep(removal.count(), row.job, endedHere);
    }
    return copy;
  }

  /** Of jobs that ended alike those stay that ended last: the command's own, one after the other, after all others. */
  private void keep(int count, JobData like, List<JobRow> endedHere) {
    NavigableSet<JobRow> alike = table.queue(like.queueName()).in(like.state());
    List<JobRow> own = endedHere.stream().filter(alike::contains).toList();
    List<JobRow> going = new ArrayList<>(own.subList(0, Math.max(0, own.size() - count)));
    alike.stream()
        .filter(each -> !own.contains(each))
        .skip(Math.max(0, count - own.size()))
        .limit(MOST_REMOVED_BY_COUNT)
        .forEach(going::add);
    going.forEach(table::remove);
  }

  /** What one end keeps by number may remove what ended just before it. */
  private List<JobChange> asTheyAre(List<JobChange> changes) {
    return changes.stream()
        .map(each -> each.withRemoved(table.find(each.queueName(), each.jobId()).isEmpty()))
        .toList();
  }

  private boolean isGone(JobData job) {
    return table.find(job.queueName(), job.id()).isEmpty();
  }

  private @Nullable JobRef deadLetter(JobData job, Instant now) {
    String queueName = job.options().deadLetterQueue();
    if (job.state() != JobState.FAILED || job.cancelledAt() != null || queueName == null) {
      return null;
    }
    String reason = Objects.requireNonNullElse(job.failedReason(), "");
    JobOptions options = JobOptions.builder().priority(job.options().priority()).build();
    JobRow copy = table.insert(JobData.builder(
            table.newId(), queueName, job.name(), job.data(), JobState.WAITING, options, now)
        .deadLetter(new DeadLetter(job.queueName(), job.id(), reason, now, job.options()))
        .build());
    return new JobRef(queueName, copy.job.id());
  }

  /** Carries the news of a child upwards, for as long as a parent ends by it. */
  private void childEnded(
      JobData child,
      boolean done,
      String reason,
      Instant now,
      List<JobChange> changed,
      List<JobRow> endedHere) {
    Optional<JobRow> parent = waitingParentOf(child);
    boolean counts = done;
    String news = reason;
    while (parent.isPresent()) {
      JobRow row = parent.get();
      ChildFailurePolicy policy =
          counts ? ChildFailurePolicy.IGNORE : row.job.options().effectiveChildFailurePolicy();
      if (policy == ChildFailurePolicy.IGNORE) {
        table.put(row, JobTransitions.childDone(row.job, now));
        if (row.job.state() != JobState.WAITING_CHILDREN) {
          changed.add(JobChange.of(row.job, false));
        }
        return;
      }
      boolean mayCount = row.isOpenChild();
      if (policy == ChildFailurePolicy.REMOVE) {
        table.remove(row);
        news = JobTransitions.REMOVED_REASON;
      } else {
        table.put(row, JobTransitions.failed(row.job, JobTransitions.CHILD_FAILED + news, now));
        settled(row, now, endedHere);
        news = Objects.requireNonNull(row.job.failedReason());
      }
      row.countedForParent = true;
      changed.add(JobChange.of(row.job, isGone(row.job)));
      counts = false;
      parent = waitingParentOf(row.job).filter(up -> mayCount);
    }
  }

  private Optional<JobRow> waitingParentOf(JobData child) {
    return table
        .parentOf(child)
        .filter(up -> up.job.state() == JobState.WAITING_CHILDREN && up.job.isParentOf(child));
  }

  private static boolean isOver(JobData job, Instant now) {
    return job.lockUntil() != null && job.lockUntil().isBefore(now);
  }
}
