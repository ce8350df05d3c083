package dev.runlane.jobs.queue.process;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.queue.host.JobsHost;
import dev.runlane.jobs.queue.observe.JobAttemptObserver;
import dev.runlane.jobs.queue.observe.JobAttemptOutcome;
import dev.runlane.jobs.queue.observe.JobsObserver;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.run.ErrorCode;
import dev.runlane.timing.ObserverCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wraps the application's observers: each is notified in turn, what one throws goes to the log and to nobody else.
 * Without observers a call costs a comparison and allocates nothing. For any thread.
 */
final class GuardedJobsObserver implements JobsObserver {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedJobsObserver.class);

  private final List<JobsObserver> observers;
  private final ObserverCalls calls;

  GuardedJobsObserver(List<JobsObserver> observers, JobsHost host) {
    this.observers = List.copyOf(observers);
    calls = new ObserverCalls(LOG, "an observer of the job queue", host.timers(), host::execute);
  }

  @Override
  public @Nullable Map<String, String> jobAdded(
      String queueName, String jobName, @Nullable Map<String, String> carrier) {
    return calls.<JobsObserver, Map<String, String>>through(
        observers, carrier, (observer, carried) -> {
          Map<String, String> added = observer.jobAdded(queueName, jobName, carried);
          JobChecks.requireCarried(added);
          return added;
        });
  }

  @Override
  public JobAttemptObserver attemptStarted(List<JobData> jobs) {
    if (observers.isEmpty()) {
      return JobAttemptObserver.NONE;
    }
    List<JobAttemptObserver> attempts = new ArrayList<>();
    calls.each(
        observers,
        observer -> attempts.add(Objects.requireNonNull(
            observer.attemptStarted(jobs), "the observer answered null for an attempt")));
    attempts.removeIf(JobAttemptObserver.NONE::equals);
    return attempts.isEmpty() ? JobAttemptObserver.NONE : new GuardedAttempt(attempts);
  }

  private final class GuardedAttempt implements JobAttemptObserver {
    private final List<JobAttemptObserver> attempts;

    GuardedAttempt(List<JobAttemptObserver> attempts) {
      this.attempts = attempts;
    }

    @Override
    public Runnable turn() {
      List<Runnable> turns = new ArrayList<>();
      calls.each(
          attempts,
          observer -> turns.add(0, observer.turn())); // the first to begin is the last to end
      return () -> calls.each(turns, Runnable::run);
    }

    @Override
    public void ended(JobData job, JobAttemptOutcome outcome, @Nullable ErrorCode error) {
      calls.each(attempts, observer -> observer.ended(job, outcome, error));
    }
  }
}
