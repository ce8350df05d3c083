package dev.runlane.simulation.jobs;

import dev.runlane.jobs.DeadLetter;
import dev.runlane.jobs.JobBackoff;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobRepeat;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.job.JobSignalReason;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.jobs.JobRowRules.Step;
import dev.runlane.simulation.world.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Holds the end of each hand-out to what its handler returned, and to the signal that it was given before. */
final class JobOutcomeRules {
  private static final double JITTER = 0.25; // of an exponential back-off
  private static final Duration ROUNDING = Duration.ofMillis(2); // instants are whole milliseconds

  private final VirtualTime time;
  private final JobCallLog calls;
  private final Duration clocksDiffer;
  private final Consumer<Violation> found;

  JobOutcomeRules(
      VirtualTime time, JobCallLog calls, Duration clocksDiffer, Consumer<Violation> found) {
    this.time = time;
    this.calls = calls;
    this.clocksDiffer = clocksDiffer;
    this.found = found;
  }

  /** A hand-out was ended by whoever had it: it is neither lost nor cancelled. */
  void ends(String key, JobData was, JobData now) {
    if (now.stalls() != was.stalls() || now.cancelledAt() != null) {
      return;
    }
    Optional<JobCallLog.Call> known = calls.of(key, was.startedAttempts());
    if (known.isEmpty()) {
      handedBack(key, was, now); // no handler was called
      return;
    }
    JobCallLog.Call call = known.get();
    if (!Objects.equals(call.token(), was.lockToken())) {
      return; // of a job with this id that is gone
    }
    JobResult result = call.result();
    @Nullable JobSignalReason reason = call.reason();
    if (!call.isSignalled()) {
      if (result == null) {
        broken(key, was, now, "though its handler goes on and was told nothing");
      } else if (result instanceof JobResult.Failed) {
        hasFailed(key, was, now, call.returnedAt());
      } else {
        isAs(result, key, was, now, call.returnedAt());
      }
    } else if (reason == JobSignalReason.TIMEOUT) {
      hasFailed(key, was, now, null); // whatever the handler returned, and whether it did
    } else if (result != null && isStopOnly(reason) && was.options().timeout() == null) {
      if (result instanceof JobResult.Failed) {
        handedBack(key, was, now);
      } else {
        isAs(result, key, was, now, call.returnedAt());
      }
    }
  }

  /** Whether the handler was told for a reason that is no fault of its job. Its timeout may pass after that. */
  private static boolean isStopOnly(@Nullable JobSignalReason reason) {
    return reason == JobSignalReason.LOCK_LOST || reason == JobSignalReason.WORKER_STOPPING;
  }

  /** The job waits again, and no failure counts. */
  private void handedBack(String key, JobData was, JobData now) {
    if (!goesOn(was, now) || now.state() == JobState.DELAYED) {
      broken(key, was, now, "though it was handed back");
    }
  }

  private static boolean goesOn(JobData was, JobData now) {
    return now.attemptsMade() == was.attemptsMade() && !now.state().isTerminal();
  }

  private void isAs(
      JobResult result, String key, JobData was, JobData now, @Nullable Instant returned) {
    if (result instanceof JobResult.Snoozed snoozed) {
      if (goesOn(was, now)) {
        Duration pause = snoozed.duration();
        rests(key, was, now, Objects.requireNonNull(returned), pause, pause);
      } else {
        broken(key, was, now, "though it was to snooze");
      }
    } else if (result instanceof JobResult.Unrecoverable && now.state() != JobState.FAILED) {
      broken(key, was, now, "though its handler gave up for good");
    } else if (result instanceof JobResult.Done && now.state() != JobState.COMPLETED) {
      broken(key, was, now, "though its handler was done");
    }
  }

  /**
   * A failure counts, and the job rests as its options say.
   *
   * @param returned when its handler returned; null where it rests since another instant
   */
  private void hasFailed(String key, JobData was, JobData now, @Nullable Instant returned) {
    if (now.attemptsMade() != was.attemptsMade() + 1 || now.state() == JobState.COMPLETED) {
      broken(key, was, now, "though its attempt has failed");
    } else if (!now.state().isTerminal()) {
      backsOff(key, was, now, returned);
    }
  }

  private void backsOff(String key, JobData was, JobData now, @Nullable Instant returned) {
    JobBackoff backoff = now.options().backoff();
    if (backoff == null) {
      if (now.state() == JobState.DELAYED) {
        broken(key, was, now, "though it has no back-off");
      }
      return;
    }
    boolean grows = backoff.type() == JobBackoff.Type.EXPONENTIAL;
    Duration wait =
        grows ? backoff.delay().multipliedBy(1L << (now.attemptsMade() - 1)) : backoff.delay();
    Duration jitter = grows ? Duration.ofNanos((long) (wait.toNanos() * JITTER)) : Duration.ZERO;
    if (returned != null) {
      rests(key, was, now, returned, wait.minus(jitter), wait.plus(jitter));
    }
  }

  /** Counted from the handler's return at the soonest, and from the command that stores it at the latest. */
  private void rests(
      String key, JobData was, JobData now, Instant returned, Duration least, Duration most) {
    Instant soonest = returned.plus(least).minus(clocksDiffer).minus(ROUNDING);
    Instant latest = time.instant().plus(most).plus(clocksDiffer).plus(ROUNDING);
    Instant due = now.delayUntil();
    if (now.state() != JobState.DELAYED) {
      if (soonest.isAfter(time.instant().plus(clocksDiffer))) {
        broken(key, was, now, "though it rests until " + soonest);
      }
    } else if (due == null || due.isBefore(soonest) || due.isAfter(latest)) {
      broken(key, was, now, "due at %s, and not from %s to %s".formatted(due, soonest, latest));
    }
  }

  /** A job that failed leaves a copy where it is asked for, and one that repeats the next of its series. */
  void follows(String key, JobData was, JobData now, List<Step> steps) {
    if (now.cancelledAt() != null) {
      return;
    }
    String letters = now.options().deadLetterQueue();
    if (letters != null
        && now.state() == JobState.FAILED
        && steps.stream().noneMatch(step -> isCopy(step, letters, now))) {
      found.accept(new Violation(Rule.DEAD_LETTERS, key, "failed and left no dead letter"));
    }
    JobRepeat repeat = was.options().repeat();
    if (repeat == null || Objects.requireNonNullElse(repeat.limit(), 0) <= 0) {
      return;
    }
    int left = Objects.requireNonNull(repeat.limit()) - 1;
    Optional<JobData> next = steps.stream()
        .filter(step -> step.was() == null)
        .map(step -> Objects.requireNonNull(step.now()))
        .filter(job -> job.options().repeat() != null && job.name().equals(now.name()))
        .findFirst();
    if (next.isEmpty()
        || !Objects.equals(Objects.requireNonNull(next.get().options().repeat()).limit(), left)) {
      found.accept(new Violation(
          Rule.ONE_FIRE, key, "ended and is not followed by one with " + left + " to come"));
      return;
    }
    Instant due = next.get().delayUntil();
    Duration every = Objects.requireNonNull(repeat.every());
    Instant latest = time.instant().plus(every).plus(clocksDiffer).plus(ROUNDING);
    Instant begun = Objects.requireNonNull(was.processedAt()); // by another clock perhaps
    Instant soonest = begun.plus(every).minus(clocksDiffer.multipliedBy(2)).minus(ROUNDING);
    boolean isEarly = due == null ? soonest.isAfter(time.instant()) : due.isBefore(soonest);
    if (isEarly || (due != null && due.isAfter(latest))) {
      found.accept(new Violation(
          Rule.EARLY,
          key,
          "is followed by one due at %s, not from %s to %s".formatted(due, soonest, latest)));
    }
  }

  private static boolean isCopy(Step step, String letters, JobData of) {
    JobData copy = step.now();
    DeadLetter letter = copy == null ? null : copy.deadLetter();
    return step.was() == null
        && letter != null
        && Objects.requireNonNull(copy).queueName().equals(letters)
        && letter.queueName().equals(of.queueName())
        && letter.jobId().equals(of.id());
  }

  private void broken(String key, JobData was, JobData now, String why) {
    found.accept(new Violation(
        Rule.ATTEMPTS,
        key,
        String.format(
            Locale.ROOT,
            "is %s with %d failures after hand-out %d, %s",
            now.state().value(),
            now.attemptsMade(),
            was.startedAttempts(),
            why)));
  }
}
