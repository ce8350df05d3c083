package dev.runlane.simulation.fleet;

import dev.runlane.run.Lease;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.SignalReason;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.network.ClaimWatch;
import dev.runlane.simulation.network.StorageLine;
import dev.runlane.simulation.watch.StoredRuns;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunSummary;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a process leaves behind that was told to end, and has: no handler was called since, none was left untold or not
 * waited for, what handlers answered in time is stored, and of leases and claims there are none but those of handlers
 * that did not come back.
 */
final class StopRules {
  /** Workers may need so long, whatever does not answer: their drain timeout, and consumers the way to their broker. */
  private static final Duration WORKERS = SimulatedProcess.WORKERS_BOUND.plusSeconds(2);

  /** Nothing begins any more after that. */
  private static final long MOMENT = 2_000;

  /** What was under way when it was told to end was sent no longer ago. */
  private static final long BEFORE =
      VirtualTime.micros(StorageLine.DEADLINE.plus(StorageLine.DEADLINE));

  /** How long a handler is waited for once its timeout is over. */
  private static final long GRACE =
      VirtualTime.micros(RunlaneOptions.DEFAULT_ATTEMPT_TIMEOUT_GRACE);

  /** These keep no call from its answer and no process from its work. */
  static final Set<Kind> HARMLESS = EnumSet.of(
      Kind.WEBHOOK_REFUSED,
      Kind.CANCELLATION_LOST,
      Kind.STEP_NEVER_ANSWERED,
      Kind.STEP_ANSWERED_LATE,
      Kind.STEP_ANSWERED_TWICE,
      Kind.STEP_LOST,
      Kind.PUBLISH_LOST,
      Kind.PUBLISH_DOUBLED,
      Kind.PUBLISH_DELAYED,
      Kind.COMMIT_REFUSED,
      Kind.CONSUMER_SILENT,
      Kind.REBALANCE,
      Kind.RESTART,
      Kind.LIMIT_CHANGED,
      Kind.SCHEDULE_EDITED,
      Kind.PAYLOAD_UNREADABLE,
      Kind.TASK_MISSING);

  private final VirtualTime time;
  private final Faults faults;
  private final HandlerLog handlers;
  private final StoredRuns stored;
  private final long trip;
  private final Consumer<Violation> found;

  StopRules(
      VirtualTime time,
      Faults faults,
      HandlerLog handlers,
      StoredRuns stored,
      Duration longestTrip,
      Consumer<Violation> found) {
    this.time = time;
    this.faults = faults;
    this.handlers = handlers;
    this.stored = stored;
    trip = VirtualTime.micros(longestTrip);
    this.found = found;
  }

  /**
   * Looks at a process whose end has come.
   *
   * @param askedAt when it was told to end, in microseconds of true time
   */
  void check(SimulatedProcess process, SimulatedProcess.Stopped stopped, long askedAt) {
    String life = process.life().toString();
    if (stopped.close().compareTo(SimulatedProcess.CLOSE_BOUND) > 0) {
      found.accept(new Violation(Rule.CLOSE, life, "its close took " + stopped.close()));
    }
    if (stopped.workers().compareTo(WORKERS) > 0) {
      found.accept(new Violation(Rule.CLOSE, life, "its workers took " + stopped.workers()));
    }
    if (!isCalm(process.life().process(), askedAt - BEFORE, time.now())) {
      return;
    }
    long judged = askedAt
        + VirtualTime.micros(RunlaneOptions.DEFAULT_CLOSE_TIMEOUT)
        - 2 * MOMENT
        - 10 * trip; // what was answered later may not be stored in time
    if (judged > askedAt) {
      List<HandlerCall> calls = handlers.calls().stream()
          .filter(call -> call.life().isSame(process.life()))
          .toList();
      calls.forEach(call -> checkCall(call, process.workerIds(), askedAt, judged));
      stored.active().stream()
          .map(RunSummary::id)
          .forEach(run -> checkLease(run, process, calls, judged));
      checkClaims(process.claims(), life, askedAt - BEFORE);
    }
  }

  private boolean isCalm(int process, long from, long until) {
    return faults.all().stream()
        .filter(fault -> !HARMLESS.contains(fault.kind()) && fault.isOf(process))
        .noneMatch(fault -> fault.from() <= until && fault.until() >= from);
  }

  private void checkCall(HandlerCall call, Set<String> workers, long askedAt, long judged) {
    if (call.beganAt() > askedAt + MOMENT && workers.contains(ownerOf(call))) {
      left(call, "was called after its worker was told to stop");
    }
    if (call.signal() == SignalReason.LEASE_LOST
        || mayBeGivenUp(call, askedAt)
        || isSettled(call)) {
      return;
    }
    if (call.result() == null && !call.isTold()) {
      left(call, "is not told that its process ends");
    }
    if (call.result() == null && time.now() < judged) {
      left(call, "is not waited for by its process");
    }
    if (call.result() != null && call.returnedAt() > askedAt && call.returnedAt() < judged) {
      left(call, "answered before the end of its process, and that is not stored");
    }
  }

  /**
   * Whether it was given up for its timeout before its process was told to end, and all was not well around that: where
   * its lease ended in the same moment nothing is stored, and of that the handler hears nothing, which is told but one
   * reason.
   */
  private boolean mayBeGivenUp(HandlerCall call, long askedAt) {
    long givenUpAt = call.toldAt() + GRACE;
    return call.signal() == SignalReason.ATTEMPT_TIMEOUT
        && givenUpAt <= askedAt
        && !isCalm(call.life().process(), call.toldAt() - BEFORE, givenUpAt + BEFORE);
  }

  /** Whether nothing is to come of it any more: it has an outcome, or its run has ended, or is gone. */
  private boolean isSettled(HandlerCall call) {
    RunRecord run = stored.run(call.run());
    return run == null || run.status().isTerminal() || handlers.hasOutcome(call);
  }

  private void checkLease(
      String run, SimulatedProcess process, List<HandlerCall> calls, long judged) {
    RunRecord record = stored.run(run);
    Lease lease = record == null ? null : record.lease();
    if (record == null || lease == null || !process.workerIds().contains(lease.workerId())) {
      return;
    }
    boolean isKept = calls.stream()
        .anyMatch(call -> call.run().equals(run)
            && call.attempt() == record.counters().attempts()
            && (call.result() == null || call.returnedAt() >= judged));
    long claimedAt = claimedAt(run);
    if (!isKept && isCalm(process.life().process(), claimedAt - BEFORE, claimedAt + BEFORE)) {
      found.accept(new Violation(
          Rule.STOP,
          run,
          process.life() + " has ended and keeps its lease until " + lease.expiresAt()
              + ", but no handler works on it"));
    }
  }

  /** When the last lease began; where its claim was not answered, nobody knows of it who could give it back. */
  private long claimedAt(String run) {
    return stored.history(run).stream()
        .filter(row -> row.event() instanceof RunEvent.LeaseClaimed)
        .mapToLong(row -> VirtualTime.micros(
            Duration.between(VirtualTime.START, row.event().header().occurredAt())))
        .max()
        .orElse(0);
  }

  private void checkClaims(ClaimWatch claims, String life, long since) {
    claims.messagesSince(since).stream()
        .filter(stored::isClaimed)
        .forEach(message -> found.accept(new Violation(
            Rule.STOP, life, "it has ended and keeps its claim of " + message.message())));
    claims.occurrencesSince(since).stream()
        .filter(stored::isClaimed)
        .forEach(occurrence -> found.accept(
            new Violation(Rule.STOP, life, "it has ended and keeps its claim of " + occurrence)));
  }

  /** Who claimed the attempt of a call; nobody where its history is gone. */
  private String ownerOf(HandlerCall call) {
    String owner = "";
    for (RunEventRecord row : stored.history(call.run())) {
      if (row.event() instanceof RunEvent.LeaseClaimed claimed) {
        owner = claimed.lease().workerId();
      } else if (row.event() instanceof RunEvent.Started started
          && started.attempt() == call.attempt()) {
        return owner;
      }
    }
    return "";
  }

  private void left(HandlerCall call, String what) {
    Lifetime life = call.life();
    found.accept(new Violation(
        Rule.STOP,
        call.run(),
        "the handler of attempt " + call.attempt() + " in " + life + " " + what));
  }
}
