package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.AppendEvents;
import dev.runlane.connector.store.AppendOutcome;
import dev.runlane.connector.store.ReadTimeline;
import dev.runlane.connector.store.RecordedEvent;
import dev.runlane.connector.store.RunTimeline;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.TimelineEventType;
import dev.runlane.connector.store.TimelinePage;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Timelines in Postgres. */
final class PgTimeline implements RunTimeline {
  /** A page that would have more bytes of data ends before; one event never has as many. */
  private static final long MOST_PAGE_BYTES = 8 << 20;

  private final PgCalls calls;

  PgTimeline(PgCalls calls) {
    this.calls = calls;
  }

  @Override
  public Future<AppendOutcome> append(AppendEvents command) {
    return calls.statement("append", () -> StoreChecks.requireAppend(command), session -> session
        .execute(
            "append_events",
            EventRows.add(
                PgRecordSink.fence(session.env(), command.fence(), command.now()),
                command.events()))
        .map(rows ->
            rows.size() == 0 ? new AppendOutcome.FencedOut() : new AppendOutcome.Appended()));
  }

  @Override
  public Future<TimelinePage> read(ReadTimeline query) {
    return calls
        .statement(
            "read",
            () -> StoreChecks.requireRead(query),
            session -> session.list(
                "events",
                Tuple.of(
                    session.env(),
                    query.runId(),
                    query.afterSequence(),
                    query.limit() + 1L,
                    MOST_PAGE_BYTES),
                EventRows::read))
        .map(found -> {
          boolean more = found.size() > query.limit() || bytes(found) >= MOST_PAGE_BYTES;
          return new TimelinePage(more ? found.subList(0, found.size() - 1) : found, more);
        });
  }

  private static long bytes(List<RecordedEvent> events) {
    return events.stream()
        .mapToLong(event -> event.event().data().sizeInBytes())
        .sum();
  }

  @Override
  public Future<RunBounds> bounds(String runId) {
    return calls
        .statement(
            "bounds",
            () -> StoreChecks.requireRunId(runId),
            session -> session.list("bounds", Tuple.of(session.env(), runId), EventRows::read))
        .map(kept -> new RunBounds(
            first(kept, type -> type == TimelineEventType.STARTED),
            first(kept, TimelineEventType::isTerminal)));
  }

  private static Optional<RecordedEvent> first(
      List<RecordedEvent> events, Predicate<TimelineEventType> type) {
    return events.stream().filter(event -> type.test(event.event().type())).findFirst();
  }

  @Override
  public Future<Map<String, RecordedEvent>> terminalEvents(List<String> runIds) {
    return calls
        .statement(
            "terminalEvents",
            () -> StoreChecks.requireRunIds(runIds),
            session -> session.list(
                "terminal_events",
                Tuple.of(session.env()).addArrayOfString(runIds.toArray(String[]::new)),
                EventRows::read))
        .map(found ->
            found.stream().collect(Collectors.toMap(event -> event.run().runId(), event -> event)));
  }

  @Override
  public Future<Integer> pruneEvents(Instant olderThan, int limit) {
    return calls.statement(
        "pruneEvents",
        () -> StoreChecks.requirePrune(limit),
        session ->
            session.update("prune_events", Tuple.of(session.env(), utc(olderThan), (long) limit)));
  }
}
