package dev.runlane.testing;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.queue.observe.JobAttemptObserver;
import dev.runlane.jobs.queue.observe.JobsObserver;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.runtime.observe.RuntimeObserver;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Whose handler is called: what is triggered or scheduled in a turn of it is its doing. */
final class HandlerTurns implements RuntimeObserver, JobsObserver {
  private final ThreadLocal<Optional<Owner>> current = ThreadLocal.withInitial(Optional::empty);
  private final Map<String, Owner> triggeredBy = new HashMap<>(); // by run

  /** Whose turn it is on this thread; empty: that of the test, or of the runtime itself. */
  Optional<Owner> current() {
    return current.get();
  }

  /** Whose handler triggered the run; empty: it was triggered by nobody's. */
  Optional<Owner> triggeredBy(String runId) {
    return Optional.ofNullable(triggeredBy.get(runId));
  }

  /** Begins a turn of somebody's, or of nobody's, on this thread; what is returned ends it. */
  Runnable begin(Optional<Owner> owner) {
    Optional<Owner> before = current.get();
    current.set(owner);
    return () -> current.set(before);
  }

  @Override
  public @Nullable Map<String, String> runTriggered(
      String runId, String taskId, String queue, @Nullable Map<String, String> carrier) {
    current().ifPresent(owner -> triggeredBy.put(runId, owner));
    return carrier;
  }

  @Override
  public AttemptObserver attemptStarted(RunRecord run) {
    Optional<Owner> owner = Optional.of(Owner.of(run));
    return new AttemptObserver() {
      @Override
      public Turn turn() {
        return begin(owner)::run;
      }
    };
  }

  @Override
  public JobAttemptObserver attemptStarted(List<JobData> jobs) {
    Optional<Owner> owner = jobs.stream().map(Owner::of).findFirst();
    return new JobAttemptObserver() {
      @Override
      public Runnable turn() {
        return begin(owner);
      }
    };
  }

  /**
   * A run, or a job, the first of its batch.
   *
   * @param isRepeated whether a schedule has made it
   */
  record Owner(String id, boolean isJob, Instant createdAt, boolean isRepeated) {
    static Owner of(RunRecord run) {
      return new Owner(
          run.id(), false, run.createdAt(), run.source().type() == RunSource.Type.SCHEDULE);
    }

    private static Owner of(JobData job) {
      return new Owner(
          job.id(),
          true,
          job.createdAt(),
          job.scheduleKey() != null || job.options().repeat() != null);
    }
  }
}
