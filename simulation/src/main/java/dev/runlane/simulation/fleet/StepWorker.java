package dev.runlane.simulation.fleet;

import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.StepError;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.steps.task.WithdrawSteps;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A worker of steps in another program: claims tasks, renews its leases while it works, and records what came of it.
 * What it makes of an attempt follows from the step, whichever worker does it.
 */
final class StepWorker {
  static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofSeconds(3);
  private static final Duration RENEWAL = Duration.ofSeconds(10);
  private static final Duration AGAIN = Duration.ofMillis(500);
  private static final Duration BLINK = Duration.ofMillis(5);
  private static final Duration LONG = Duration.ofSeconds(50);
  private static final int MOST = 3;
  private static final int MOST_FAILED = 2; // attempts; the one after them succeeds

  private final Lifetime life;
  private final StepTransport steps;
  private final VirtualTime time;
  private final Faults faults;
  private final Trace trace;

  StepWorker(Lifetime life, StepTransport steps, VirtualTime time, Faults faults, Trace trace) {
    this.life = life;
    this.steps = steps;
    this.time = time;
    this.faults = faults;
    this.trace = trace;
  }

  void start() {
    poll();
  }

  private void poll() {
    steps
        .claimStepTasks(new ClaimStepTasks(
            Catalogue.STEP_GROUPS, "worker-" + life, time.instant(), LEASE, MOST))
        .onSuccess(tasks -> tasks.forEach(this::begin))
        .onComplete(claimed -> after(POLL, this::poll));
  }

  private void begin(ClaimedStepTask claimed) {
    String stepId = claimed.task().stepId();
    trace.note(life, "works on step " + stepId + " #" + claimed.task().attempt());
    if (hits(Kind.STEP_NEVER_ANSWERED)) {
      return;
    }
    if (hits(Kind.STEP_LOST)) {
      steps.withdrawSteps(new WithdrawSteps(List.of(stepId)));
      return;
    }
    Chance chance = Chance.of(stepId.hashCode(), "attempt " + claimed.task().attempt());
    Duration work = chance.duration(BLINK, LONG);
    Work begun = new Work(claimed, time.instant(), chance.from(0, 99));
    if (!hits(Kind.STEP_ANSWERED_LATE)) {
      after(RENEWAL, () -> renew(begun));
      after(work, () -> record(begun));
    } else {
      after(work.plus(LEASE.multipliedBy(2)), () -> record(begun));
    }
  }

  private void renew(Work work) {
    if (!work.ended) {
      steps
          .renewStepTasks(new RenewStepTasks(List.of(work.claimed.claim()), time.instant()))
          .onComplete(renewed -> after(RENEWAL, () -> renew(work)));
    }
  }

  private void record(Work work) {
    send(work).onComplete(recorded -> {
      boolean again = recorded.failed() || recorded.result() == RecordOutcome.BLOCKED;
      if (again) {
        after(AGAIN, () -> record(work));
      } else {
        work.ended = true;
        trace.note(life, "has " + recorded.result() + " " + work.claimed.task().stepId());
        if (hits(Kind.STEP_ANSWERED_TWICE)) {
          after(AGAIN, () -> send(work));
        }
      }
    });
  }

  private Future<RecordOutcome> send(Work work) {
    return steps
        .recordStepResults(new RecordStepResults(
            List.of(
                new RecordStepResults.Ended(work.claimed.claim(), outcome(work), work.startedAt)),
            time.instant()))
        .map(outcomes -> outcomes.get(0));
  }

  private static StepOutcome outcome(Work work) {
    boolean mayFail = work.claimed.task().attempt() <= MOST_FAILED;
    if (mayFail && work.dice < 20) {
      return new StepOutcome.Failed(
          StepError.of(work.dice < 10 ? "ON_PURPOSE" : null, "failed on purpose"));
    }
    if (work.dice > 98) {
      return new StepOutcome.Failed(StepError.fatal(null, "failed on purpose, for good"));
    }
    return new StepOutcome.Completed(work.claimed.task().input());
  }

  private boolean hits(Kind kind) {
    return faults.hits(kind, time.now(), life.process());
  }

  private void after(Duration delay, Runnable action) {
    time.after(VirtualTime.micros(delay), life, action);
  }

  /** One attempt. */
  private static final class Work {
    private final ClaimedStepTask claimed;
    private final Instant startedAt;
    private final int dice;
    private boolean ended;

    Work(ClaimedStepTask claimed, Instant startedAt, int dice) {
      this.claimed = claimed;
      this.startedAt = startedAt;
      this.dice = dice;
    }
  }
}
