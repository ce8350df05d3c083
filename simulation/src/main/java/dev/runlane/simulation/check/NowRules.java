package dev.runlane.simulation.check;

import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.simulation.fleet.Callers;
import dev.runlane.simulation.fleet.Catalogue;
import dev.runlane.simulation.fleet.Fleet;
import dev.runlane.simulation.fleet.Item;
import dev.runlane.simulation.history.OutcomeAttempt;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds calls that create a run and make its first attempt to what is stored: an answer is the run as that attempt left
 * it; a refusal for a pause or for slots had its reason and left no run; and none says that the lease was lost where
 * all was well.
 */
final class NowRules {
  private final Fleet fleet;
  private final Duration slack;
  private final Map<String, RunHistory> runs = new HashMap<>();
  private final Map<Item, RunHistory> triggered = new HashMap<>();
  private final List<Violation> found;

  /** @param slack how late a command may be, and how far clocks differ */
  NowRules(Fleet fleet, List<RunHistory> histories, Duration slack, List<Violation> found) {
    this.fleet = fleet;
    this.slack = slack;
    this.found = found;
    for (RunHistory history : histories) {
      runs.put(history.runId(), history);
      if (history.stored().source().equals(RunSource.TRIGGER)) {
        triggered.put(RequestRules.itemOf(history.stored()), history);
      }
    }
  }

  void check(List<Callers.Request> requests) {
    requests.stream().filter(Callers.Request::now).forEach(this::check);
  }

  private void check(Callers.Request request) {
    TriggerResult answer = request.answer().result();
    if (answer != null && answer.outcome() == TriggerOutcome.CREATED) {
      checkLeft(request, answer.run(), runs.get(answer.run().id()));
    } else if (request.answer().cause() instanceof RunlaneException refused) {
      checkRefused(request, refused);
    }
  }

  private void checkLeft(
      Callers.Request request, RunRecord answered, @Nullable RunHistory history) {
    if (answered.counters().attempts() != 1
        || (history != null && !isLeftByFirst(history, answered.eventSequence()))) {
      broken(request, "is answered a run that its first attempt has not left so: " + answered);
    }
  }

  /** Whether the event is the outcome of the first attempt, or the request that it makes with it. */
  private static boolean isLeftByFirst(RunHistory history, long sequence) {
    RunEvent last = null;
    for (RunEventRecord row : history.events()) {
      RunEvent event = row.event();
      boolean isOfFirst =
          event instanceof RunEvent.Cancelled || OutcomeAttempt.of(event).orElse(0) == 1;
      if (row.sequence() == sequence) {
        return isOfFirst || (last != null && event instanceof RunEvent.DeliveryRequested);
      }
      last = isOfFirst ? event : null;
    }
    return false;
  }

  private void checkRefused(Callers.Request request, RunlaneException refused) {
    boolean isPaused = refused.isConflict(StorageConflictKind.QUEUE_PAUSED);
    boolean isFull = refused.isConflict(StorageConflictKind.QUEUE_CAPACITY);
    String queue = Catalogue.queueOf(request.task());
    if ((isPaused || isFull) && triggered.containsKey(request.item())) {
      broken(request, "is refused, and its run is there");
    }
    if (isPaused && !mayBePaused(queue, request)) {
      broken(request, "is refused for a pause of " + queue + ", which was not paused");
    }
    if (isFull && fleet.isUnbounded(queue)) {
      broken(request, "is refused for slots of " + queue + ", which has no limit");
    }
    if (refused.isConflict(StorageConflictKind.LEASE_OWNERSHIP)
        && fleet.isCalm(request.answeredAt())) {
      broken(request, "is said to have lost its lease, where all was well");
    }
  }

  /** What was read before the end of a pause holds for a while. */
  private boolean mayBePaused(String queue, Callers.Request request) {
    return fleet.watch().queuePauses().stream()
        .anyMatch(pause -> pause.name().equals(queue)
            && !pause.from().isAfter(request.answeredAt())
            && !pause
                .until()
                .isBefore(request.askedAt().minus(slack).minus(FinalChecks.PAUSE_HOLDS)));
  }

  private void broken(Callers.Request request, String why) {
    found.add(new Violation(Rule.REQUEST, request.task(), request + " " + why));
  }
}
