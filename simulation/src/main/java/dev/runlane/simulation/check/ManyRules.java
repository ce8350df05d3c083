package dev.runlane.simulation.check;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.simulation.fleet.Callers;
import dev.runlane.simulation.fleet.Catalogue;
import dev.runlane.simulation.fleet.Item;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds calls for many runs to what is said of them: one that is refused for a payload is refused for another run's or
 * another payload of its own, and has stored nothing where that was there before it.
 */
final class ManyRules {
  private static final String MISMATCH = "idempotency_mismatch";

  private final Map<String, RunRecord> runs = new HashMap<>();
  private final Map<Item, Integer> given = new HashMap<>(); // in how many calls
  private final Set<Item> stored = new HashSet<>();
  private final Duration clocksDiffer;
  private final List<Violation> found;

  ManyRules(List<RunHistory> all, Duration clocksDiffer, List<Violation> found) {
    all.stream().map(RunHistory::stored).forEach(run -> {
      runs.put(run.id(), run);
      if (run.taskId().equals(Catalogue.REFUSING)) {
        stored.add(RequestRules.itemOf(run));
      }
    });
    this.clocksDiffer = clocksDiffer;
    this.found = found;
  }

  void check(List<Callers.ManyRequest> requests) {
    requests.forEach(
        request -> Set.copyOf(request.items()).forEach(item -> given.merge(item, 1, Integer::sum)));
    requests.forEach(this::check);
  }

  private void check(Callers.ManyRequest request) {
    if (!(request.answer().cause() instanceof RunlaneException known
        && known.code() == ErrorCode.VALIDATION_FAILED)) {
      return;
    }
    if (!request.task().equals(Catalogue.REFUSING)
        || !MISMATCH.equals(known.meta().get("reason"))) {
      broken(request, "is refused with " + known);
      return;
    }
    String ownerId = known.meta().get(RunlaneException.OWNER_RUN_ID);
    RunRecord owner = ownerId == null ? null : runs.get(ownerId);
    if (owner == null ? !isRefusedByItself(request) : !isRefusedBy(owner, request)) {
      broken(request, "is refused for " + (owner == null ? ownerId : owner));
    }
    if (owner == null || isOwnerThroughout(owner, request)) {
      request.items().stream()
          .filter(item -> given.getOrDefault(item, 0) == 1 && stored.contains(item))
          .forEach(item -> broken(request, "is refused for " + ownerId + ", and stored " + item));
    }
  }

  private static boolean isRefusedByItself(Callers.ManyRequest request) {
    return request.items().stream().anyMatch(item -> request.items().stream()
        .anyMatch(other -> other.key().equals(item.key()) && !other.equals(item)));
  }

  /** Whether the run owned a key of the call, with another payload, at some moment of it. */
  private boolean isRefusedBy(RunRecord owner, Callers.ManyRequest request) {
    Item its = RequestRules.itemOf(owner);
    return owner.taskId().equals(request.task())
        && request.items().stream()
            .anyMatch(item -> item.key().equals(its.key()) && !item.equals(its))
        && !owner.createdAt().isAfter(request.answeredAt().plus(clocksDiffer))
        && isOwnerAt(owner, request.askedAt().minus(clocksDiffer));
  }

  /** Whether it was there before the call, and for sure until it was answered. */
  private boolean isOwnerThroughout(RunRecord owner, Callers.ManyRequest request) {
    return owner.createdAt().plus(clocksDiffer).isBefore(request.askedAt())
        && isOwnerAt(owner, request.answeredAt().plus(clocksDiffer));
  }

  private static boolean isOwnerAt(RunRecord owner, Instant at) {
    @Nullable Instant ended = owner.finishedAt();
    return ended == null
        || !ended.isBefore(at)
        || (owner.status() != RunStatus.FAILED
            && owner.createdAt().plus(Catalogue.KEY_TTL).isAfter(at));
  }

  private void broken(Callers.ManyRequest request, String why) {
    found.add(new Violation(Rule.REQUEST, request.task(), request.items() + " " + why));
  }
}
