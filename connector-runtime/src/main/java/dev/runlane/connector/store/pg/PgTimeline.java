package dev.runlane.connector.store.pg;

import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.timeline.AppendEvents;
import dev.runlane.connector.store.timeline.AppendOutcome;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.RecordedEvent;
import dev.runlane.connector.store.timeline.RunTimeline;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.connector.store.timeline.TimelinePage;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Timelines in Postgres. */
final class PgTimeline implements RunTimeline {
  static final SqlStatement<PgSession.Given<ReadTimeline>> EVENTS = PgSession.statement(
      "events",
      new Parameters<ReadTimeline>()
          .value("run_id", ReadTimeline::runId)
          .value("after", ReadTimeline::afterSequence)
          .value("limit", query -> query.limit() + 1L)
          .value("most_bytes", query -> PgTimeline.MOST_PAGE_BYTES));
  static final SqlStatement<PgSession.Given<String>> BOUNDS =
      PgSession.statement("bounds", PgStatements.OF_RUN);

  /** How runs ended. */
  static final SqlStatement<PgSession.Given<List<String>>> TERMINAL_EVENTS = PgSession.statement(
      "terminal_events", new Parameters<List<String>>().texts("run_ids", runIds -> runIds));

  static final SqlStatement<PgSession.Given<PgStatements.Old>> PRUNE =
      PgSession.statement("prune_events", PgStatements.Old.PARAMETERS);

  static final List<SqlStatement<?>> STATEMENTS = List.of(EVENTS, BOUNDS, TERMINAL_EVENTS, PRUNE);

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
            EventRows.APPEND,
            new EventRows.Told(
                new PgStatements.Fenced(command.fence(), command.now()), command.events()))
        .map(rows ->
            rows.size() == 0 ? new AppendOutcome.FencedOut() : new AppendOutcome.Appended()));
  }

  @Override
  public Future<TimelinePage> read(ReadTimeline query) {
    return calls
        .statement(
            "read",
            () -> StoreChecks.requireRead(query),
            session -> session.list(EVENTS, query, EventRows::read))
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
            session -> session.list(BOUNDS, runId, EventRows::read))
        .map(kept -> new RunBounds(
            first(kept, type -> type == TimelineEventType.STARTED),
            first(kept, type -> type != TimelineEventType.STARTED)));
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
            session -> session.list(TERMINAL_EVENTS, runIds, EventRows::read))
        .map(found ->
            found.stream().collect(Collectors.toMap(event -> event.run().runId(), event -> event)));
  }

  @Override
  public Future<Integer> pruneEvents(Instant olderThan, int limit) {
    return calls.statement(
        "pruneEvents",
        () -> StoreChecks.requirePrune(limit),
        session -> session.update(PRUNE, new PgStatements.Old(olderThan, limit)));
  }
}
