package dev.runlane.simulation.operator;

import dev.runlane.simulation.history.Pause;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.network.Line;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stands in front of the storage and remembers, in true time, what was paused, and since when webhooks are known. What
 * an operator does must be recorded before.
 */
public final class OperatorWatch implements Line {
  private final StoredOperations stored;
  private final Supplier<Instant> trueTime;
  /** The commands of operators that are recorded, and as what. */
  private static final Map<String, String> RECORDED = Map.of(
      "pauseQueue", "queue.pause",
      "resumeQueue", "queue.resume",
      "pauseSchedule", "schedule.pause",
      "resumeSchedule", "schedule.resume",
      "redriveOutbox", "outbox.redrive");

  private final Consumer<Violation> found;
  private final Map<String, Long> done = new HashMap<>(); // how often
  private final Spans queues = new Spans();
  private final Spans schedules = new Spans();
  private @Nullable Instant webhooksSince;
  private @Nullable Instant schedulesSince;

  /** One of a storage in which nothing is paused yet. */
  public OperatorWatch(
      StoredOperations stored, Supplier<Instant> trueTime, Consumer<Violation> found) {
    this.stored = stored;
    this.trueTime = trueTime;
    this.found = found;
  }

  /** The pauses of queues, those included that have not ended. */
  public List<Pause> queuePauses() {
    return queues.all();
  }

  /** The pauses of schedules, those included that have not ended. */
  public List<Pause> schedulePauses() {
    return schedules.all();
  }

  /** Queues that are paused now. */
  public Set<String> pausedQueues() {
    return Set.copyOf(queues.open.keySet());
  }

  /** Whether a schedule is paused now. */
  public boolean isAnySchedulePaused() {
    return !schedules.open.isEmpty();
  }

  /** From when on each end is told; empty where no webhook was registered. */
  public Optional<Instant> webhooksSince() {
    return Optional.ofNullable(webhooksSince);
  }

  /** Since when schedules are known; empty where nobody has registered any. */
  public Optional<Instant> schedulesSince() {
    return Optional.ofNullable(schedulesSince);
  }

  @Override
  public Future<?> call(String method, Supplier<Future<?>> execute) {
    checkRecorded(method);
    Future<?> done = execute.get();
    switch (method) {
      case "pauseQueue", "resumeQueue" -> queues.note(stored.pausedQueues(), trueTime.get());
      case "pauseSchedule", "resumeSchedule" ->
        schedules.note(stored.pausedSchedules(), trueTime.get());
      case "claimWebhookDeliveries" -> { // by who has registered them: whoever forgets old ones
        // registers none
        if (webhooksSince == null) {
          webhooksSince = trueTime.get();
        }
      }
      case "registerSchedules" -> {
        if (schedulesSince == null && done.succeeded()) {
          schedulesSince = trueTime.get();
        }
      }
      default -> {}
    }
    return done;
  }

  private void checkRecorded(String method) {
    String action = RECORDED.get(method);
    if (action == null) {
      return;
    }
    long times = done.merge(action, 1L, Long::sum);
    if (stored.actions().stream().filter(each -> each.action().equals(action)).count() < times) {
      found.accept(new Violation(Rule.RECORDED, action, "is done and was not recorded before"));
    }
  }

  @Override
  public <T> Consumer<T> pushes(Consumer<T> listener) {
    return listener;
  }

  private static final class Spans {
    private final Map<String, Instant> open = new LinkedHashMap<>();
    private final List<Pause> ended = new ArrayList<>();

    void note(Set<String> paused, Instant now) {
      paused.forEach(name -> open.putIfAbsent(name, now));
      List.copyOf(open.keySet()).stream().filter(name -> !paused.contains(name)).forEach(name -> {
        Instant from = open.remove(name);
        if (from != null) {
          ended.add(new Pause(name, from, now));
        }
      });
    }

    List<Pause> all() {
      List<Pause> all = new ArrayList<>(ended);
      open.forEach((name, from) -> all.add(new Pause(name, from, Instant.MAX)));
      return all;
    }
  }
}
