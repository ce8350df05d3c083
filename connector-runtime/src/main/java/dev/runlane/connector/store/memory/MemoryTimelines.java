package dev.runlane.connector.store.memory;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.timeline.AppendEvents;
import dev.runlane.connector.store.timeline.AppendOutcome;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.connector.store.timeline.TimelinePage;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Timelines in memory. */
final class MemoryTimelines implements RunTimeline {
  private final MemoryConnectorStore store;
  private final Map<String, Timeline> timelines = new HashMap<>(); // by run
  private long sequence;

  MemoryTimelines(MemoryConnectorStore store) {
    this.store = store;
  }

  /** Events that are known already stay as they are. */
  void record(RunIdentity run, Collection<TimelineEvent> events, Instant now) {
    Timeline timeline = timelines.computeIfAbsent(run.runId(), created -> new Timeline());
    for (TimelineEvent event : events) {
      if (timeline.eventIds.add(event.eventId())) {
        timeline.add(new RecordedEvent(++sequence, run, event, now));
      }
    }
  }

  Optional<RecordedEvent> terminalOf(String runId) {
    return Optional.ofNullable(timelines.get(runId)).map(timeline -> timeline.terminal);
  }

  private <T> Future<T> call(String method, Runnable checks, Supplier<T> work) {
    return AdapterCall.of(method, () -> {
      checks.run();
      return Future.succeededFuture(store.locked(work));
    });
  }

  @Override
  public Future<AppendOutcome> append(AppendEvents command) {
    return call("append", () -> StoreChecks.requireAppend(command), () -> store.append(command));
  }

  @Override
  public Future<TimelinePage> read(ReadTimeline query) {
    return call("read", () -> StoreChecks.requireRead(query), () -> {
      Collection<RecordedEvent> after =
          eventsOf(query.runId()).tailMap(query.afterSequence(), false).values();
      return new TimelinePage(
          after.stream().limit(query.limit()).toList(), after.size() > query.limit());
    });
  }

  @Override
  public Future<RunBounds> bounds(String runId) {
    return call("bounds", () -> StoreChecks.requireRunId(runId), () -> {
      Optional<RecordedEvent> started = eventsOf(runId).values().stream()
          .filter(event -> event.event().type() == TimelineEventType.STARTED)
          .findFirst();
      return new RunBounds(started, terminalOf(runId));
    });
  }

  @Override
  public Future<Map<String, RecordedEvent>> terminalEvents(List<String> runIds) {
    return call("terminalEvents", () -> StoreChecks.requireRunIds(runIds), () -> {
      Map<String, RecordedEvent> found = new LinkedHashMap<>();
      runIds.forEach(runId -> terminalOf(runId).ifPresent(event -> found.put(runId, event)));
      return found;
    });
  }

  @Override
  public Future<Integer> pruneEvents(Instant olderThan, int limit) {
    return call("pruneEvents", () -> StoreChecks.requirePrune(limit), () -> {
      List<RecordedEvent> old = timelines.values().stream()
          .filter(timeline -> timeline.terminal != null)
          .flatMap(timeline -> timeline.events.values().stream())
          .filter(event -> !event.event().type().isKept() && event.recordedAt().isBefore(olderThan))
          .sorted(Comparator.comparingLong(RecordedEvent::sequence))
          .limit(limit)
          .toList();
      old.forEach(event -> eventsOf(event.run().runId()).remove(event.sequence()));
      return old.size();
    });
  }

  private NavigableMap<Long, RecordedEvent> eventsOf(String runId) {
    Timeline timeline = timelines.get(runId);
    return timeline == null ? new TreeMap<>() : timeline.events;
  }

  /** The events of one run. */
  private static final class Timeline {
    final TreeMap<Long, RecordedEvent> events = new TreeMap<>();
    final Set<String> eventIds = new HashSet<>();

    @Nullable
    RecordedEvent terminal;

    void add(RecordedEvent event) {
      events.put(event.sequence(), event);
      if (event.event().type().isTerminal()) {
        terminal = event;
      }
    }
  }
}
