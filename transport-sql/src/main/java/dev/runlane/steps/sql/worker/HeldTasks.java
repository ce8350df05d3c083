package dev.runlane.steps.sql.worker;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepChecks;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.StepClaim;
import dev.runlane.timing.Backoff;
import dev.runlane.timing.Clock;
import dev.runlane.timing.LeaseEnds;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tasks that a worker leases: renews them together, records their results each on its own, and keeps at
 * it while the database is away, for as long as the lease may still be ours.
 */
final class HeldTasks {
  private static final Logger LOG = LoggerFactory.getLogger(HeldTasks.class);
  private static final Duration LONGEST_RENEWAL = Duration.ofSeconds(5);
  private static final String UNRECORDABLE = "unrecordable_result";
  private static final Duration RECORD_AGAIN = Duration.ofMillis(50);
  private static final Duration LONGEST_RECORD_PAUSE = Duration.ofSeconds(2);

  private final StepTransport transport;
  private final Duration lease;
  private final Clock clock;
  private final Timers timers;
  private final Runnable released;
  private final SweepLoop renewal;
  private final Backoff recordAgain =
      Backoff.exponential(RECORD_AGAIN, LONGEST_RECORD_PAUSE).withJitter(0.2);
  private final Randomness randomness = Randomness.system();
  private final Map<String, HeldTask> tasks = new HashMap<>();
  private final LeaseEnds<HeldTask> ends;
  private boolean stopped;

  /**
   * @param released is called whenever a task is not held any more
   */
  HeldTasks(
      StepTransport transport, Duration lease, Clock clock, Timers timers, Runnable released) {
    this.transport = transport;
    this.lease = lease;
    this.clock = clock;
    this.timers = timers;
    this.released = released;
    this.renewal = new SweepLoop(timers, "step lease renewal", this::renew, renewEvery(lease));
    // Nobody can say whether it is still ours then: its result is offered all the same.
    this.ends =
        new LeaseEnds<>(timers, task -> task.leasedAt.plus(lease), task -> task.call.loseLease());
  }

  /** A third of the lease, so that two renewals may fail; at the latest every 5 s. */
  static Duration renewEvery(Duration lease) {
    Duration third = lease.dividedBy(3);
    return third.compareTo(LONGEST_RENEWAL) < 0 ? third : LONGEST_RENEWAL;
  }

  void start() {
    renewal.start();
  }

  /** Renews and records nothing any more; what is held stays leased until that passes. */
  Future<Void> stop() {
    stopped = true;
    return renewal.stop();
  }

  int size() {
    return tasks.size();
  }

  /** @param sentAt when its claim was sent, on the timers' own time */
  HeldTask add(StepClaim claim, StepCall call, Duration sentAt) {
    tasks.values().stream()
        .filter(each -> each.claim.stepId().equals(claim.stepId()))
        .forEach(this::leaseLost); // taken over from ourselves
    HeldTask task = new HeldTask(claim, call, sentAt);
    ends.add(task);
    tasks.put(claim.token() + claim.stepId(), task);
    return task;
  }

  /** Records how a task ended, and again until it is known to be recorded or lost. */
  void record(HeldTask task, StepOutcome outcome, Instant startedAt) {
    if (task.lost || stopped) {
      LOG.warn(
          "step {} has ended, but its lease is {}: the result is dropped",
          task.claim.stepId(),
          task.lost ? "lost" : "not renewed any more");
      release(task);
      return;
    }
    task.recording = true;
    record(task, new RecordStepResults.Ended(task.claim, outcome, startedAt), 1);
  }

  private void record(HeldTask task, RecordStepResults.Ended ended, int tries) {
    transport
        .recordStepResults(new RecordStepResults(List.of(ended), clock.now()))
        .onSuccess(outcomes -> recorded(task, ended, outcomes.get(0), tries))
        .onFailure(failure -> notRecorded(task, ended, failure, tries));
  }

  private void recorded(
      HeldTask task, RecordStepResults.Ended ended, RecordOutcome outcome, int tries) {
    if (outcome == RecordOutcome.BLOCKED) {
      recordLater(task, ended, tries);
      return;
    }
    if (outcome == RecordOutcome.LEASE_LOST) {
      LOG.warn("step {} has ended, but its lease was lost", task.claim.stepId());
      leaseLost(task);
    }
    release(task);
  }

  private void notRecorded(
      HeldTask task, RecordStepResults.Ended ended, Throwable failure, int tries) {
    boolean passes = failure instanceof RunlaneException ours && ours.isRetryable();
    if (passes) {
      LOG.debug("the result of step {} waits", task.claim.stepId(), failure);
      recordLater(task, ended, tries);
    } else if (isOfTheResult(failure)) {
      replace(task, ended, failure, tries);
    } else {
      recordUnlessTooLate(task, ended, failure, tries);
    }
  }

  /** Whether the tables refuse what the result says, so that the same would be refused every time. */
  private static boolean isOfTheResult(Throwable failure) {
    return failure instanceof RunlaneException ours
        && (ours.code() == ErrorCode.VALIDATION_FAILED
            || ours.code() == ErrorCode.ADAPTER_CONTRACT_VIOLATION);
  }

  /**
   * What else is refused may be the database's own trouble, of a kind that nobody has thought of: a step that has
   * succeeded is not recorded as failed for that. Its answer is offered for as long as a lease.
   */
  private void recordUnlessTooLate(
      HeldTask task, RecordStepResults.Ended ended, Throwable failure, int tries) {
    Duration now = timers.elapsed();
    Duration since = task.refusedSince;
    if (since == null) {
      LOG.error("the result of step {} is refused", task.claim.stepId(), failure);
      since = now;
      task.refusedSince = since;
    }
    boolean closed =
        failure instanceof RunlaneException ours && ours.code() == ErrorCode.OPERATION_CANCELLED;
    if (closed || now.minus(since).compareTo(lease) >= 0) {
      LOG.error("the result of step {} is given up", task.claim.stepId(), failure);
      release(task); // the lease passes, and the step is tried again
      return;
    }
    recordLater(task, ended, tries);
  }

  /** What the tables cannot hold is reported as a failure of the step, once. */
  private void replace(HeldTask task, RecordStepResults.Ended ended, Throwable failure, int tries) {
    LOG.error("the result of step {} cannot be recorded", task.claim.stepId(), failure);
    boolean replaced = ended.outcome() instanceof StepOutcome.Failed failed
        && UNRECORDABLE.equals(failed.error().code());
    if (replaced) {
      release(task); // the lease passes, and the step is tried again
      return;
    }
    StepError error = StepError.fatal(UNRECORDABLE, "the result of the step cannot be stored");
    record(
        task,
        new RecordStepResults.Ended(
            ended.claim(), new StepOutcome.Failed(error), ended.startedAt()),
        tries);
  }

  private void recordLater(HeldTask task, RecordStepResults.Ended ended, int tries) {
    if (stopped) {
      release(task);
      return;
    }
    timers.schedule(recordAgain.delay(tries, randomness), () -> record(task, ended, tries + 1));
  }

  private Future<Boolean> renew() {
    List<HeldTask> renewed = tasks.values().stream()
        .filter(each -> !each.lost && StepChecks.isStepId(each.claim.stepId()))
        .toList();
    if (renewed.isEmpty()) {
      return Future.succeededFuture(false);
    }
    Duration sentAt = timers.elapsed();
    List<StepClaim> claims = renewed.stream().map(each -> each.claim).toList();
    return transport.renewStepTasks(new RenewStepTasks(claims, clock.now())).map(kept -> {
      renewed.forEach(each -> leaseRenewed(each, kept, sentAt));
      return false;
    });
  }

  private void leaseRenewed(HeldTask task, Set<String> kept, Duration sentAt) {
    if (kept.contains(task.claim.stepId())) {
      task.leasedAt = sentAt;
    } else if (!task.recording) {
      leaseLost(task);
    }
  }

  private void leaseLost(HeldTask task) {
    if (!task.lost) {
      task.lost = true;
      task.call.loseLease();
      LOG.warn("the lease of step {} was lost while it ran", task.claim.stepId());
    }
  }

  private void release(HeldTask task) {
    tasks.remove(task.claim.token() + task.claim.stepId());
    ends.remove(task);
    released.run();
  }
}
