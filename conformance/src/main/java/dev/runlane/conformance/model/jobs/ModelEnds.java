package dev.runlane.conformance.model.jobs;

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
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How jobs end or go, and what follows for others. */
final class ModelEnds {
  private static final int MOST_REMOVED_BY_NUMBER = 1_000;

  private final ModelJobs jobs;
  private final ModelSaves saves;
  private final ModelMetrics metrics;
  private Set<ModelJob> beside = Set.of(); // what the other commands of one call may hold

  ModelEnds(ModelJobs jobs, ModelSaves saves, ModelMetrics metrics) {
    this.jobs = jobs;
    this.saves = saves;
    this.metrics = metrics;
  }

  /** "They act only while the job is active under that token." */
  Optional<ModelJob> held(JobLock lock) {
    return jobs.find(lock.queueName(), lock.jobId())
        .filter(row -> row.job.state() == JobState.ACTIVE)
        .filter(row -> lock.token().equals(row.job.lockToken()));
  }

  /** Each by itself: an end that removes by number may pass over what another one of the call names. */
  List<FinishResult> finish(List<FinishJob> commands) {
    List<FinishResult> results = new ArrayList<>();
    for (int index = 0; index < commands.size(); index++) {
      int own = index;
      beside = IntStream.range(0, commands.size())
          .filter(other -> other != own)
          .mapToObj(commands::get)
          .flatMap(other -> jobs.find(other.lock().queueName(), other.lock().jobId()).stream())
          .flatMap(row -> Stream.iterate(
                  Optional.of(row), Optional::isPresent, each -> parentOf(each.orElseThrow().job))
              .flatMap(Optional::stream))
          .collect(Collectors.toSet());
      results.add(finish(commands.get(index)));
    }
    beside = Set.of();
    return results;
  }

  private FinishResult finish(FinishJob command) {
    Optional<ModelJob> held = held(command.lock());
    if (held.isEmpty() || !mayEnd(held.get().job, command)) {
      return new FinishResult.LockLost();
    }
    ModelJob row = held.get();
    row.addRecord(JobTransitions.attempt(row.job, command.outcome(), List.of(), command.now()));
    jobs.change(row, JobTransitions.ended(row.job, command));
    return new FinishResult.Finished(
        row.isOpen()
            ? new FinishedJob(JobChange.of(row.job, false), List.of(), null, null)
            : ended(row, command, command.now()));
  }

  /** Whether it matters in which order these hand-outs end, which nobody promises. */
  boolean isOrderOpen(List<FinishJob> commands) {
    List<ModelJob> ending =
        commands.stream().flatMap(each -> held(each.lock()).stream()).toList();
    long touching = ending.stream().filter(this::touchesOthers).count()
        + commands.stream().filter(each -> each.next() != null).count();
    return ending.size() > 1 && (touching > 1 || ending.stream().anyMatch(this::removesByNumber));
  }

  private boolean touchesOthers(ModelJob row) {
    return row.job.parentId() != null || row.job.options().deadLetterQueue() != null;
  }

  private boolean removesByNumber(ModelJob row) {
    return hasNumber(row.job.options().removeOnComplete())
        || hasNumber(row.job.options().removeOnFail())
        || parentOf(row.job).filter(this::removesByNumber).isPresent();
  }

  private static boolean hasNumber(@Nullable JobRemoval removal) {
    return removal != null && removal.count() != null;
  }

  /** A stall is "applied only while the lock has run out". */
  private static boolean mayEnd(JobData job, FinishJob command) {
    return !(command.outcome() instanceof JobOutcome.Stalled)
        || (job.lockUntil() != null && job.lockUntil().isBefore(command.now()));
  }

  Optional<FinishedJob> fail(ModelJob row, String reason, Instant now) {
    if (!row.isOpen()) {
      return Optional.empty();
    }
    if (row.job.state() == JobState.ACTIVE) {
      row.addRecord(
          JobTransitions.attempt(row.job, new JobOutcome.Failed(reason, null), List.of(), now));
    }
    jobs.change(row, JobTransitions.failed(row.job, reason, now));
    return Optional.of(ended(row, null, now));
  }

  CancelResult cancel(ModelJob row, Instant now) {
    if (!row.isOpen() || row.job.cancelledAt() != null) {
      return new CancelResult.Unchanged();
    }
    if (row.job.state() == JobState.ACTIVE) {
      jobs.change(row, row.job.toBuilder().cancelledAt(now).build());
      return new CancelResult.Requested();
    }
    jobs.change(row, JobTransitions.cancelled(row.job, now));
    return new CancelResult.Ended(ended(row, null, now));
  }

  /** Removes jobs, all of them before any parent learns of it. */
  List<JobChange> remove(List<ModelJob> rows, Instant now) {
    rows.forEach(jobs::remove);
    Consequences after = new Consequences(now);
    rows.stream()
        .filter(ModelJob::isOpen)
        .forEach(row -> after.tellParent(row, false, JobTransitions.REMOVED_REASON));
    return after.changes();
  }

  private FinishedJob ended(ModelJob row, @Nullable FinishJob command, Instant now) {
    Consequences after = new Consequences(now);
    JobRef copy = after.settle(row);
    after.tellParent(
        row,
        row.job.state() == JobState.COMPLETED,
        Objects.requireNonNullElse(row.job.failedReason(), ""));
    NewJob following = command == null ? null : JobTransitions.next(row.job, command);
    SavedJob next =
        following == null ? null : saves.save(row.job.queueName(), following, null, now);
    return new FinishedJob(JobChange.of(row.job, !jobs.has(row)), after.changes(), next, copy);
  }

  /** What follows from one command. */
  private final class Consequences {
    private final Instant now;
    private final List<ModelJob> endedHere = new ArrayList<>(); // in their order
    private final List<ModelJob> ancestors = new ArrayList<>();

    Consequences(Instant now) {
      this.now = now;
    }

    /** "Whether it is gone when all is done." */
    List<JobChange> changes() {
      return ancestors.stream()
          .map(row -> JobChange.of(row.job, !jobs.has(row)))
          .toList();
    }

    /** Metrics, dead letter, removal. */
    @Nullable
    JobRef settle(ModelJob row) {
      metrics.count(row.job);
      JobRef copy = deadLetter(row.job);
      JobRemoval removal = row.job.options().removalAfter(row.job.state());
      if (removal != null && removal.isAtOnce()) {
        jobs.remove(row);
      } else {
        endedHere.add(row);
        if (removal != null && removal.count() != null) {
          keep(removal.count(), row.job);
        }
      }
      return copy;
    }

    private @Nullable JobRef deadLetter(JobData job) {
      String queueName = job.options().deadLetterQueue();
      if (job.state() != JobState.FAILED || job.cancelledAt() != null || queueName == null) {
        return null;
      }
      JobOptions options =
          JobOptions.builder().priority(job.options().priority()).build();
      String id = jobs.newId();
      jobs.insert(
          JobData.builder(id, queueName, job.name(), job.data(), JobState.WAITING, options, now)
              .deadLetter(new DeadLetter(
                  job.queueName(),
                  job.id(),
                  Objects.requireNonNullElse(job.failedReason(), ""),
                  now,
                  job.options()))
              .build());
      return new JobRef(queueName, id);
    }

    /**
     * "The jobs that the command ends have ended last, … the job itself before its ancestors." One that somebody else
     * is changing may be passed over.
     */
    private void keep(int count, JobData like) {
      Comparator<ModelJob> lastFirst = Comparator.<ModelJob>comparingInt(endedHere::indexOf)
          .thenComparing(row -> row.endedAt().orElse(Instant.MAX))
          .reversed()
          .thenComparing(row -> !jobs.isLeft(row))
          .thenComparing(
              Comparator.<ModelJob>comparingLong(row -> Math.abs(row.place)).reversed());
      jobs.in(like.queueName(), like.state())
          .sorted(lastFirst)
          .skip(count)
          .limit(MOST_REMOVED_BY_NUMBER)
          .filter(row -> !jobs.isPassedOver(row) && !(beside.contains(row) && jobs.isLeft(row)))
          .toList()
          .forEach(jobs::remove);
    }

    /** "By each child once, … news that come late change nothing." */
    void tellParent(ModelJob child, boolean done, String reason) {
      if (child.counted) {
        return;
      }
      child.counted = true;
      Optional<ModelJob> parent = parentOf(child.job)
          .filter(row -> row.job.state() == JobState.WAITING_CHILDREN)
          .filter(row -> row.job.isParentOf(child.job));
      if (parent.isPresent()) {
        learn(parent.get(), done, reason);
      }
    }

    private void learn(ModelJob parent, boolean done, String reason) {
      ChildFailurePolicy policy =
          done ? ChildFailurePolicy.IGNORE : parent.job.options().effectiveChildFailurePolicy();
      if (policy == ChildFailurePolicy.IGNORE) {
        jobs.change(parent, JobTransitions.childDone(parent.job, now));
        if (parent.job.state() != JobState.WAITING_CHILDREN) {
          ancestors.add(parent);
        }
      } else if (policy == ChildFailurePolicy.REMOVE) {
        jobs.remove(parent);
        ancestors.add(parent);
        tellParent(parent, false, JobTransitions.REMOVED_REASON);
      } else {
        jobs.change(
            parent, JobTransitions.failed(parent.job, JobTransitions.CHILD_FAILED + reason, now));
        settle(parent);
        ancestors.add(parent);
        tellParent(parent, false, Objects.requireNonNull(parent.job.failedReason()));
      }
    }
  }

  Optional<ModelJob> parentOf(JobData child) {
    String queueName = child.parentQueueName();
    String id = child.parentId();
    return queueName == null || id == null ? Optional.empty() : jobs.find(queueName, id);
  }
}
