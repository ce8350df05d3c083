package dev.runlane.simulation.check;

import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.simulation.fleet.Callers;
import dev.runlane.simulation.fleet.Catalogue;
import dev.runlane.simulation.fleet.Item;
import dev.runlane.simulation.history.KeyReset;
import dev.runlane.simulation.history.RunHistory;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds runs to what their callers asked for: task, queue, payload, keys, when they begin, and who owns a key that is
 * asked for again.
 */
final class RequestRules {
  private final Map<String, RunHistory> runs = new HashMap<>();
  private final List<KeyReset> resets;
  private final Duration clocksDiffer;
  private final List<Violation> found;

  RequestRules(
      List<RunHistory> all, List<KeyReset> resets, Duration clocksDiffer, List<Violation> found) {
    all.forEach(history -> runs.put(history.runId(), history));
    this.resets = resets;
    this.clocksDiffer = clocksDiffer;
    this.found = found;
  }

  void check(List<Callers.Request> requests) {
    requests.forEach(this::check);
    runs.values().forEach(this::checkRepeated);
  }

  private void check(Callers.Request request) {
    TriggerResult answer = request.answer().result();
    if (answer == null) {
      checkFailure(request);
      return;
    }
    RunHistory history = runs.get(answer.run().id());
    if (history == null) {
      return; // what an answer said is held to what is there elsewhere
    }
    RunRecord run = history.stored();
    RunKeys keys = Catalogue.keysOf(request.task(), request.item());
    if (!run.taskId().equals(request.task())
        || !run.queue().equals(Catalogue.queueOf(request.task()))
        || !run.keys().equals(keys)) {
      broken(run, request, "it has other keys or another queue");
    }
    if (answer.samePayload() != itemOf(run).equals(request.item())) {
      broken(run, request, "its payload passes for the same: " + answer.samePayload());
    }
    if (request.task().equals(Catalogue.REFUSING) && !answer.samePayload()) {
      broken(run, request, "it has another payload, which its task refuses");
    }
    if (answer.outcome() == TriggerOutcome.CREATED) {
      checkCreated(request, answer.run(), history);
    } else {
      checkOwner(request, run);
    }
  }

  private void checkCreated(Callers.Request request, RunRecord answered, RunHistory history) {
    RunRecord run = history.stored();
    if (!run.source().equals(RunSource.TRIGGER) || !itemOf(run).equals(request.item())) {
      broken(run, request, "it is another one");
    }
    if (request.now() && answered.status() == RunStatus.RUNNING) {
      broken(run, request, "it was answered while it ran");
    }
    Instant earliest = request.askedAt().plus(request.delay()).minus(clocksDiffer);
    boolean isEarly = history.events().stream()
        .anyMatch(row -> row.event() instanceof RunEvent.Started
            && row.event().header().occurredAt().isBefore(earliest));
    if (isEarly) {
      broken(run, request, "it began before " + earliest);
    }
  }

  /** Whoever owns a key at some moment of the call is the answer. */
  private void checkOwner(Callers.Request request, RunRecord owner) {
    Instant ended = owner.finishedAt();
    if (ended == null || !ended.plus(clocksDiffer).isBefore(request.askedAt())) {
      return;
    }
    boolean isKept = owner.keys().idempotencyKey() != null
        && owner.status() != RunStatus.FAILED
        && !owner
            .createdAt()
            .plus(Catalogue.KEY_TTL)
            .plus(clocksDiffer)
            .isBefore(request.askedAt());
    if (!isKept) {
      broken(
          owner, request, "it is answered, and had ended as " + owner.status().value());
    }
  }

  /** A key is refused to nobody, unless its owner changes meanwhile. */
  private void checkFailure(Callers.Request request) {
    boolean isRefused = request.answer().cause() instanceof RunlaneException known
        && (known.isConflict(StorageConflictKind.IDEMPOTENCY_KEY)
            || known.isConflict(StorageConflictKind.SINGLETON_KEY));
    RunKeys keys = Catalogue.keysOf(request.task(), request.item());
    if (isRefused
        && runs.values().stream().noneMatch(history -> changes(history.stored(), keys, request))
        && resets.stream().noneMatch(reset -> isWithin(reset.at(), request))) {
      found.add(new Violation(
          Rule.REQUEST, request.task(), request + " is refused, and nobody else came or went"));
    }
  }

  private boolean changes(RunRecord run, RunKeys keys, Callers.Request request) {
    return run.taskId().equals(request.task())
        && run.keys().equals(keys)
        && (isWithin(run.createdAt(), request) || isWithin(run.finishedAt(), request));
  }

  private boolean isWithin(@Nullable Instant at, Callers.Request request) {
    return at != null
        && !at.isBefore(request.askedAt().minus(clocksDiffer))
        && !at.isAfter(request.answeredAt().plus(clocksDiffer));
  }

  /** What is made again is the same but for its idempotency key, and of one that had ended. */
  private void checkRepeated(RunHistory history) {
    RunRecord child = history.stored();
    String parentId = child.source().sourceRunId();
    RunHistory known = parentId == null ? null : runs.get(parentId);
    if (known == null) {
      return;
    }
    RunRecord parent = known.stored();
    boolean isRetry = child.source().type() == RunSource.Type.MANUAL_RETRY;
    Instant ended = parent.finishedAt();
    if (ended == null
        || child.createdAt().plus(clocksDiffer).isBefore(ended)
        || (isRetry && parent.status() != RunStatus.FAILED)
        || !child.taskId().equals(parent.taskId())
        || !child.queue().equals(parent.queue())
        || !child.payload().equals(parent.payload())
        || !child.keys().equals(parent.keys().withoutIdempotencyKey())) {
      found.add(new Violation(
          Rule.REQUEST, child.id(), child + " makes again what is not so: " + parent));
    }
  }

  static Item itemOf(RunRecord run) {
    JsonObject payload = new JsonObject(run.payload().text());
    return new Item(payload.getLong("script"), payload.getString("key"));
  }

  private void broken(RunRecord run, Callers.Request request, String why) {
    found.add(new Violation(Rule.REQUEST, run.id(), why + ": " + run + " for " + request));
  }
}
