package dev.runlane.simulation.history;

import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunlaneException;
import dev.runlane.simulation.history.StoredState.OutboxRow;
import dev.runlane.simulation.history.StoredState.PartitionUse;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Holds what fleets left behind to the promises of the histories. Knows the contracts only, no storage: the
 * state is read by somebody else. Reports every violation, not just the first.
 */
public final class HistoryChecker {
  private final Terms terms;

  /**
   * A checker for runs of these queues.
   *
   * @param toleratedSkew how far the clocks of the processes differed at most
   */
  public HistoryChecker(Collection<QueuePolicy> policies, Duration toleratedSkew) {
    this(new Terms(
        policies.stream()
            .collect(Collectors.toUnmodifiableMap(QueuePolicy::queue, policy -> policy)),
        toleratedSkew));
  }

  private HistoryChecker(Terms terms) {
    this.terms = terms;
  }

  private HistoryChecker with(Consumer<Terms> change) {
    Terms changed = terms.copy();
    change.accept(changed);
    return new HistoryChecker(changed);
  }

  /** The same, for a fleet whose transport was gone: outbox messages may be left. */
  public HistoryChecker allowingUnpublished() {
    return with(copy -> copy.mayBeUnpublished = true);
  }

  /**
   * The same, for a lane whose storage wakes by itself: a run that was due when it was created may have had no outbox
   * message for that.
   */
  public HistoryChecker allowingWakingStorage() {
    return with(copy -> copy.wakes = true);
  }

  /** The same, for a fleet whose commands may be under way so long before they are carried out. */
  public HistoryChecker waitingAtMost(Duration longest) {
    return with(copy -> copy.longestWait = longest);
  }

  /** The same, for a fleet whose limits change. */
  public HistoryChecker withLimits(LimitAt limits) {
    return with(copy -> copy.limits = limits);
  }

  /** The same, for a fleet whose operators free keys. */
  public HistoryChecker withResets(List<KeyReset> resets) {
    return with(copy -> copy.resets = List.copyOf(resets));
  }

  /**
   * The same, for a fleet whose operators pause queues.
   *
   * @param within how long after a pause something may still be claimed, beside the difference of clocks
   */
  public HistoryChecker withPauses(List<Pause> pauses, Duration within) {
    return with(copy -> copy.pauses = new Pauses(List.copyOf(pauses), within));
  }

  /** Every promise that {@code state} breaks; empty when all is well. */
  public List<Violation> violations(StoredState state) {
    List<Violation> found = new ArrayList<>();
    Set<String> eventIds = new HashSet<>();
    PauseRules pauseRules =
        new PauseRules(terms.pauses.all, terms.pauses.within, terms.toleratedSkew, found);
    for (RunHistory history : state.histories()) {
      checkEnd(history, found);
      checkOrder(history, eventIds, found);
      checkReplay(history, found);
      new TransitionRules(history, found).check();
      new FieldRules(history, found).check();
      new AttemptRules(history, found).check();
      new LifeRules(history, found).check();
      new StepRules(history, found).check();
      pauseRules.check(history);
    }
    new PartitionRules(
            terms.policies,
            new PartitionRules.Tolerance(terms.toleratedSkew, terms.longestWait),
            terms.limits,
            found)
        .check(state.histories());
    new KeyRules(terms.resets, terms.toleratedSkew.plus(terms.longestWait), found)
        .check(state.histories());
    new EffectRules(found).check(state);
    checkCounters(state.partitions(), found);
    checkOutbox(state, found);
    return List.copyOf(found);
  }

  private static void checkEnd(RunHistory history, List<Violation> found) {
    RunRecord run = history.stored();
    if (run.status().isActive()) {
      found.add(new Violation(Rule.TERMINAL, run.id(), "it is " + run.status().value()));
    }
  }

  private static void checkOrder(RunHistory history, Set<String> eventIds, List<Violation> found) {
    long expected = 1;
    long lastId = 0;
    for (RunEventRecord row : history.events()) {
      if (row.sequence() != expected) {
        found.add(new Violation(
            Rule.SEQUENCE,
            history.runId(),
            row.sequence() + " stands where " + expected + " belongs"));
      }
      expected = row.sequence() + 1;
      long id = Long.parseLong(row.id());
      if (id <= lastId || !eventIds.add(row.id())) {
        found.add(new Violation(
            Rule.EVENT_IDS, history.runId(), "id " + id + " after " + lastId + ", or used twice"));
      }
      lastId = id;
    }
  }

  private static void checkReplay(RunHistory history, List<Violation> found) {
    List<RunEvent> events = history.events().stream().map(RunEventRecord::event).toList();
    try {
      RunRecord replayed = RunReducer.projectRunEvents(null, 0, events);
      if (!replayed.equals(history.stored())) {
        found.add(new Violation(
            Rule.REPLAY,
            history.runId(),
            "replayed " + replayed + " but stored " + history.stored()));
      }
    } catch (RunlaneException impossible) {
      found.add(new Violation(Rule.REPLAY, history.runId(), impossible.toString()));
    }
  }

  private static void checkCounters(List<PartitionUse> partitions, List<Violation> found) {
    for (PartitionUse use : partitions) {
      if (use.counted() != use.occupied()) {
        found.add(new Violation(
            Rule.CAPACITY_COUNTER,
            use.queue() + "/" + use.partition(),
            "counted " + use.counted() + " but occupied " + use.occupied()));
      }
    }
  }

  private void checkOutbox(StoredState state, List<Violation> found) {
    Map<Request, OutboxRow> rows = new LinkedHashMap<>();
    for (OutboxRow row : state.outbox()) {
      Request request = new Request(row.runId(), row.sequence());
      OutboxRow other = rows.putIfAbsent(request, row);
      if (other != null) {
        found.add(new Violation(
            Rule.OUTBOX, request.toString(), "asked for once, stored as " + other + " and " + row));
      }
    }
    for (RunHistory history : state.histories()) {
      for (RunEventRecord row : history.events()) {
        if (row.event() instanceof RunEvent.DeliveryRequested delivery) {
          Request request = new Request(history.runId(), row.sequence());
          OutboxRow message = rows.remove(request);
          if (message == null && terms.wakes && isDueAtCreation(row, delivery)) {
            continue;
          }
          if (message == null || message.inserted() != 1 || !isPublishedOnce(message)) {
            found.add(new Violation(Rule.OUTBOX, request.toString(), String.valueOf(message)));
          }
        }
      }
    }
    rows.forEach((request, row) ->
        found.add(new Violation(Rule.OUTBOX, request.toString(), "nobody asked for " + row)));
  }

  private static boolean isDueAtCreation(RunEventRecord row, RunEvent.DeliveryRequested delivery) {
    return row.sequence() == 2
        && !delivery.delivery().availableAt().isAfter(delivery.header().occurredAt());
  }

  private boolean isPublishedOnce(OutboxRow message) {
    return message.deleted() == 1 || (terms.mayBeUnpublished && message.deleted() == 0);
  }

  private record Request(String runId, long sequence) {}

  /** What the fleet was like; each checker has its own. */
  private static final class Terms {
    private final Map<String, QueuePolicy> policies;
    private final Duration toleratedSkew;
    private boolean mayBeUnpublished;
    private boolean wakes;
    private Duration longestWait = PartitionRules.LONGEST_WAIT;
    private LimitAt limits = (queue, at, configured) -> configured;
    private List<KeyReset> resets = List.of();
    private Pauses pauses = Pauses.NONE;

    Terms(Map<String, QueuePolicy> policies, Duration toleratedSkew) {
      this.policies = policies;
      this.toleratedSkew = toleratedSkew;
    }

    Terms copy() {
      Terms copy = new Terms(policies, toleratedSkew);
      copy.mayBeUnpublished = mayBeUnpublished;
      copy.wakes = wakes;
      copy.longestWait = longestWait;
      copy.limits = limits;
      copy.resets = resets;
      copy.pauses = pauses;
      return copy;
    }
  }

  /** The pauses of queues, and how long after one something may still be claimed. */
  private record Pauses(List<Pause> all, Duration within) {
    static final Pauses NONE = new Pauses(List.of(), Duration.ZERO);
  }
}
