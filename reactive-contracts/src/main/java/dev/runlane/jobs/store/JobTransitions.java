package dev.runlane.jobs.store;

import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the commands make of a job's own row, apart from its neighbours: the rules that every store follows.
 * Reads no clock, does no I/O.
 */
public final class JobTransitions {
  /** {@link JobData#failedReason()} of a cancelled job. */
  public static final String CANCELLED_REASON = "Job cancelled";

  /** {@link JobData#failedReason()} of a job that was lost with its workers too often. */
  public static final String STALLED_REASON = "Job stalled and exceeded max attempts";

  /** The reason that a removed child gives its parent. */
  public static final String REMOVED_REASON = "Job removed";

  /** Leads {@link JobData#failedReason()} of a parent that failed with a child. */
  public static final String CHILD_FAILED = "Child failed: ";

  private JobTransitions() {}

  /** The job in the hands of a worker. */
  public static JobData fetched(
      JobData job, String workerId, String token, Duration lockDuration, Instant now) {
    return job.toBuilder()
        .state(JobState.ACTIVE)
        .startedAttempts(job.startedAttempts() + 1)
        .processedAt(now)
        .lockUntil(now.plus(lockDuration))
        .lockedBy(workerId)
        .lockToken(token)
        .build();
  }

  /**
   * What a hand-out of this job really ends as: cancelled where that was asked for; failed where it would be
   * tried again, but was discarded, and where it was lost once more than {@code maxStalls}.
   */
  public static JobOutcome effective(JobData job, JobOutcome outcome) {
    if (job.cancelledAt() != null) {
      return new JobOutcome.Cancelled();
    }
    if (outcome instanceof JobOutcome.Retry retry && job.discarded()) {
      return new JobOutcome.Failed(retry.reason(), retry.stacktrace());
    }
    return outcome;
  }

  /** The active job after this outcome, which is taken as {@link #effective} says. */
  public static JobData ended(JobData job, JobOutcome outcome, Instant now) {
    JobData.Builder after = job.toBuilder().lockUntil(null).lockedBy(null).lockToken(null);
    JobOutcome taken = effective(job, outcome);
    if (taken instanceof JobOutcome.Completed completed) {
      return after
          .state(JobState.COMPLETED)
          .returnvalue(completed.returnvalue())
          .completedAt(now)
          .build();
    }
    if (taken instanceof JobOutcome.Failed failed) {
      return failed(after.attemptsMade(job.attemptsMade() + 1), failed.reason(), now);
    }
    if (taken instanceof JobOutcome.Retry retry) {
      return due(after, retry.at(), now)
          .attemptsMade(job.attemptsMade() + 1)
          .failedReason(retry.reason())
          .build();
    }
    if (taken instanceof JobOutcome.Snooze snooze) {
      return due(after, snooze.at(), now).build();
    }
    if (taken instanceof JobOutcome.Stalled) {
      after.stalls(job.stalls() + 1);
      return job.stalls() < job.options().effectiveMaxStalls()
          ? after.state(JobState.WAITING).delayUntil(null).build()
          : failed(after, STALLED_REASON, now);
    }
    return cancelled(job, now);
  }

  /**
   * The active job after this command: as {@link #ended(JobData, JobOutcome, Instant)} says, and where its series goes
   * on in the next job it has none to follow any more. So a run that is retried or redriven begins no second series.
   */
  public static JobData ended(JobData job, FinishJob command) {
    JobData after = ended(job, command.outcome(), command.now());
    JobRepeat repeat = after.options().repeat();
    return repeat == null || next(after, command) == null
        ? after
        : after.toBuilder()
            .options(after.options().toBuilder().repeat(repeat.withLimit(0)).build())
            .build();
  }

  /** The command's next job, where it is to be stored once the command has made this of its own; else null. */
  public static @Nullable NewJob next(JobData after, FinishJob command) {
    return after.state().isTerminal() && after.cancelledAt() == null ? command.next() : null;
  }

  /** The open job, cancelled. */
  public static JobData cancelled(JobData job, Instant now) {
    JobData.Builder after =
        job.toBuilder().lockUntil(null).lockedBy(null).lockToken(null).delayUntil(null);
    Instant asked = job.cancelledAt() == null ? now : job.cancelledAt();
    return failed(after.cancelledAt(asked), CANCELLED_REASON, now);
  }

  /** The open job, failed for a reason from outside. */
  public static JobData failed(JobData job, String reason, Instant now) {
    JobData.Builder after =
        job.toBuilder().lockUntil(null).lockedBy(null).lockToken(null).delayUntil(null);
    return failed(after, reason, now);
  }

  /** A parent that waits for its children, after one of them counts as done. */
  public static JobData childDone(JobData parent, Instant now) {
    int pending = Math.max(0, parent.pendingChildrenCount() - 1);
    JobData.Builder after = parent.toBuilder().pendingChildrenCount(pending);
    if (pending > 0) {
      return after.build();
    }
    Instant due = parent.delayUntil();
    return due(after, due == null ? now : due, now).build();
  }

  /** A job that has ended, or is delayed, as {@code retryJobs} puts it back. */
  public static JobData retried(JobData job) {
    return job.toBuilder()
        .state(JobState.WAITING)
        .attemptsMade(0)
        .stalls(0)
        .discarded(false)
        .progress(0)
        .returnvalue(null)
        .failedReason(null)
        .failedAt(null)
        .completedAt(null)
        .processedAt(null)
        .cancelledAt(null)
        .delayUntil(null)
        .stacktrace(List.of())
        .build();
  }

  /**
   * The open job that waits or is delayed, after a later one with its deduplication key took its place: with the name,
   * payload and options of that one, and by {@link JobDeduplication.Mode#DEBOUNCE} with its due time. It is tried as if
   * for the first time, since what failed before was another payload; its hand-outs, log and stacks stay.
   */
  public static JobData replaced(JobData open, NewJob by) {
    JobData.Builder after = open.toBuilder()
        .name(by.name())
        .data(by.data())
        .options(by.options())
        .attemptsMade(0)
        .stalls(0)
        .discarded(false)
        .progress(0)
        .failedReason(null);
    JobDeduplication how = by.options().deduplication();
    return how != null && how.mode() == JobDeduplication.Mode.DEBOUNCE
        ? after.state(by.state()).delayUntil(by.delayUntil()).build()
        : after.build();
  }

  /** The record of the hand-out that this outcome ended. */
  public static AttemptRecord attempt(
      JobData job, JobOutcome outcome, List<String> logs, Instant now) {
    JobOutcome taken = effective(job, outcome);
    return new AttemptRecord(
        job.startedAttempts(),
        job.processedAt() == null ? now : job.processedAt(),
        now,
        status(taken),
        error(taken),
        stacktrace(taken).orElse(null),
        logs);
  }

  /**
   * The hand-out that only the job itself records: the one that runs, or one that completed and of which there is no
   * record. Without lines.
   */
  public static Optional<AttemptRecord> attemptInJob(JobData job, List<AttemptRecord> records) {
    boolean completed = job.state() == JobState.COMPLETED && job.completedAt() != null;
    boolean known = records.stream().anyMatch(each -> each.attempt() == job.startedAttempts());
    Instant startedAt = job.processedAt();
    if (known
        || job.startedAttempts() < 1
        || startedAt == null
        || !(completed || job.state() == JobState.ACTIVE)) {
      return Optional.empty();
    }
    return Optional.of(new AttemptRecord(
        job.startedAttempts(),
        startedAt,
        completed ? job.completedAt() : null,
        completed ? AttemptRecord.Status.COMPLETED : AttemptRecord.Status.FAILED,
        null,
        null,
        List.of()));
  }

  /** The stack that this outcome adds to the job, if any. */
  public static Optional<String> stacktrace(JobOutcome outcome) {
    if (outcome instanceof JobOutcome.Failed failed) {
      return Optional.ofNullable(failed.stacktrace());
    }
    if (outcome instanceof JobOutcome.Retry retry) {
      return Optional.ofNullable(retry.stacktrace());
    }
    return Optional.empty();
  }

  /** The last of these entries, as many as are kept. */
  public static <T> List<T> newest(List<T> entries, int most) {
    return List.copyOf(entries.subList(Math.max(0, entries.size() - most), entries.size()));
  }

  /** The entries and one more, as many as are kept. */
  public static <T> List<T> appended(List<T> entries, T entry, int most) {
    List<T> more = new ArrayList<>(entries);
    more.add(entry);
    return newest(more, most);
  }

  private static JobData failed(JobData.Builder after, String reason, Instant now) {
    return after
        .state(JobState.FAILED)
        .failedReason(
            JobOutcome.message(reason)) // it may have come from outside, or up through a flow
        .failedAt(now)
        .build();
  }

  private static JobData.Builder due(JobData.Builder after, Instant at, Instant now) {
    return at.isAfter(now)
        ? after.state(JobState.DELAYED).delayUntil(at)
        : after.state(JobState.WAITING).delayUntil(null);
  }

  private static AttemptRecord.Status status(JobOutcome taken) {
    if (taken instanceof JobOutcome.Completed) {
      return AttemptRecord.Status.COMPLETED;
    }
    return taken instanceof JobOutcome.Snooze
        ? AttemptRecord.Status.SNOOZED
        : AttemptRecord.Status.FAILED;
  }

  private static @Nullable String error(JobOutcome taken) {
    if (taken instanceof JobOutcome.Failed failed) {
      return failed.reason();
    }
    if (taken instanceof JobOutcome.Retry retry) {
      return retry.reason();
    }
    if (taken instanceof JobOutcome.Stalled) {
      return "Job stalled";
    }
    return taken instanceof JobOutcome.Cancelled ? CANCELLED_REASON : null;
  }
}
