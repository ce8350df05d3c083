package dev.runlane.simulation.history;

import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks for keys that two runs owned at a time, in the order of event ids. */
final class KeyRules {
  private final List<KeyReset> resets;
  private final Duration tolerated;
  private final List<Violation> found;

  /** @param tolerated how far the times of a reset and of a creation may be off */
  KeyRules(List<KeyReset> resets, Duration tolerated, List<Violation> found) {
    this.resets = resets;
    this.tolerated = tolerated;
    this.found = found;
  }

  void check(List<RunHistory> histories) {
    Map<Key, List<RunHistory>> singletons = new HashMap<>();
    Map<Key, List<RunHistory>> idempotent = new HashMap<>();
    for (RunHistory history : histories) {
      RunRecord run = history.stored();
      add(singletons, run.taskId(), run.keys().singletonKey(), history);
      add(idempotent, run.taskId(), run.keys().idempotencyKey(), history);
    }
    singletons.forEach((key, runs) -> checkOverlap(Rule.SINGLETON, key, runs, true));
    idempotent.forEach((key, runs) -> checkOverlap(Rule.IDEMPOTENCY, key, runs, false));
  }

  /** An ended run gives up a singleton key; an idempotency key only if it failed or the key expired. */
  private void checkOverlap(Rule rule, Key key, List<RunHistory> runs, boolean freeAtEnd) {
    runs.sort(Comparator.comparingLong(KeyRules::firstId));
    for (int index = 1; index < runs.size(); index++) {
      RunHistory before = runs.get(index - 1);
      RunHistory next = runs.get(index);
      boolean ended = before.stored().status().isTerminal() && lastId(before) < firstId(next);
      boolean free = freeAtEnd
          || isGivenUp(before.stored(), next.stored())
          || isReset(key, before.stored(), next.stored());
      if (!ended || !free) {
        found.add(new Violation(
            rule,
            key.toString(),
            before.runId() + " owned it when " + next.runId() + " was created"));
      }
    }
  }

  /** Whoever prunes the expired key may have a clock ahead of that which created the next run. */
  private boolean isGivenUp(RunRecord owner, RunRecord next) {
    IdempotencyTtl ttl = owner.keys().idempotencyTtl();
    if (owner.status() == RunStatus.FAILED || ttl == null || ttl.retention() == null) {
      return true;
    }
    Instant latest = next.createdAt().plus(tolerated);
    return !owner.createdAt().plus(ttl.retention()).isAfter(latest);
  }

  private boolean isReset(Key key, RunRecord owner, RunRecord next) {
    Instant from = owner.updatedAt().minus(tolerated);
    Instant until = next.createdAt().plus(tolerated);
    return resets.stream()
        .anyMatch(reset -> reset.task().equals(key.task())
            && reset.key().equals(key.key())
            && !reset.at().isBefore(from)
            && !reset.at().isAfter(until));
  }

  private static void add(
      Map<Key, List<RunHistory>> owners, String task, @Nullable String key, RunHistory history) {
    if (key != null && !history.events().isEmpty()) {
      owners.computeIfAbsent(new Key(task, key), first -> new ArrayList<>()).add(history);
    }
  }

  private static long firstId(RunHistory history) {
    return Long.parseLong(history.events().get(0).id());
  }

  private static long lastId(RunHistory history) {
    List<RunEventRecord> events = history.events();
    return Long.parseLong(events.get(events.size() - 1).id());
  }

  private record Key(String task, String key) {}
}
