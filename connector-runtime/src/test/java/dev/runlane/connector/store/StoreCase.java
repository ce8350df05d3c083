package dev.runlane.connector.store;

import dev.runlane.connector.protocol.manifest.ManifestStream.Semantics;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.store.history.RunHistoryEntry;
import dev.runlane.connector.store.history.RunResultFacts;
import dev.runlane.connector.store.history.RunStatus;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.LastBatch;
import dev.runlane.connector.store.record.RecordChange;
import dev.runlane.connector.store.record.RecordReads;
import dev.runlane.connector.store.record.StagedCursor;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.record.StoredRecord;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.BeginOutcome;
import dev.runlane.connector.store.run.BeginRun;
import dev.runlane.connector.store.run.EndOutcome;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.timeline.AppendEvents;
import dev.runlane.connector.store.timeline.AppendOutcome;
import dev.runlane.connector.store.timeline.ReadTimeline;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.Json;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A store, and short words for what a run does to it. */
public final class StoreCase {
  public static final Instant NOON = Instant.parse("2026-03-04T12:00:00Z");
  public static final ConnectorRef SHELF = ConnectorRef.of("shelf");
  public static final ControllerProcess HERE =
      new ControllerProcess("ctl_1", "host-1", "boot-1", 100, 5_000, "http://127.0.0.1:1");
  public static final ControllerProcess ELSEWHERE =
      new ControllerProcess("ctl_2", "host-2", "boot-2", 200, 6_000, null);
  public static final Ids IDS = new Ids(Clock.system(), Randomness.system());

  private static final long PATIENCE_SECONDS = 60;

  private final Map<String, Long> batches = new ConcurrentHashMap<>();
  public final ConnectorStore store;
  public final RecordReads records;

  public StoreCase(ConnectorStore store, RecordReads records) {
    this.store = store;
    this.records = records;
  }

  public static <T> T done(Future<T> future) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      throw new AssertionError("expected success", failed.getCause());
    } catch (InterruptedException | TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  public static Throwable failure(Future<?> future) {
    return done(future.transform((value, failure) -> failure == null
        ? Future.failedFuture(new AssertionError("expected a failure, but got " + value))
        : Future.succeededFuture(failure)));
  }

  public static BeginRun beginning(String runId, ConnectorRef connector, @Nullable String grantId) {
    return new BeginRun(
        new RunIdentity(runId, "trc_" + runId, connector),
        RunTrigger.RUN_NOW,
        grantId,
        null,
        HERE,
        NOON);
  }

  public BeginOutcome begin(BeginRun command) {
    return done(store.activeRuns().begin(command));
  }

  /** An active run of the shelf. */
  public ActiveRun running(String runId) {
    return running(runId, SHELF, null);
  }

  public ActiveRun running(String runId, ConnectorRef connector, @Nullable String grantId) {
    BeginOutcome outcome = begin(beginning(runId, connector, grantId));
    if (outcome instanceof BeginOutcome.Begun begun) {
      return begun.run();
    }
    throw new AssertionError("not begun: " + outcome);
  }

  public static RecordMessage record(String key, String data) {
    return new RecordMessage(
        "books", key, false, Json.ofChecked(data), "2026-03-04T11:00:00Z", false, true, 80);
  }

  public static RecordMessage deletion(String key) {
    return new RecordMessage("books", key, false, null, "2026-03-04T11:30:00Z", true, true, 40);
  }

  /** The next batch of the run's stream. */
  public IngestBatch batch(ActiveRun run, Semantics semantics, RecordMessage... records) {
    return batch(NOON, run, semantics, records);
  }

  /** The same, written at another time. */
  public IngestBatch at(Instant now, ActiveRun run, RecordMessage... records) {
    return batch(now, run, Semantics.MUTABLE_STATE, records);
  }

  private IngestBatch batch(
      Instant now, ActiveRun run, Semantics semantics, RecordMessage... records) {
    long number = batches.merge(run.run().runId(), 1L, Long::sum);
    return new IngestBatch(
        run.fence(),
        run.run().connector(),
        "books",
        semantics,
        number,
        Arrays.asList(records),
        now);
  }

  public IngestOutcome ingest(IngestBatch batch) {
    return done(store.sink().ingest(batch));
  }

  public IngestOutcome ingest(ActiveRun run, RecordMessage... records) {
    return ingest(batch(run, Semantics.MUTABLE_STATE, records));
  }

  /** Every record as {@code key@version=data}. */
  public List<String> stored() {
    return done(records.records(SHELF.instanceId(), "books", "", 1_000)).stream()
        .map(StoreCase::told)
        .toList();
  }

  /** Every change as {@code key@version=data}, in order. */
  public List<String> changes() {
    return done(records.changes(SHELF.instanceId(), "books", 0, 1_000)).stream()
        .map(change -> told(change.record()))
        .toList();
  }

  /** The sequences of the changes after one. */
  public List<Long> sequencesOfChanges(long after) {
    return done(records.changes(SHELF.instanceId(), "books", after, 1_000)).stream()
        .map(RecordChange::sequence)
        .toList();
  }

  public int pruneChanges(Instant olderThan, int limit) {
    return done(store.sink().pruneChanges(olderThan, limit));
  }

  private static String told(StoredRecord record) {
    Json data = record.data();
    return record.key() + "@" + record.version() + "=" + (data == null ? "gone" : data.text());
  }

  public static TimelineEvent event(TimelineEventType type) {
    return TimelineEvent.of(IDS, type, "in_progress", NOON, Json.ofChecked("{\"n\":1}"));
  }

  public AppendOutcome tell(ActiveRun run, TimelineEvent... events) {
    return done(store.timeline().append(new AppendEvents(run.fence(), List.of(events), NOON)));
  }

  public List<String> told(String runId) {
    return done(store.timeline().read(ReadTimeline.of(runId))).events().stream()
        .map(each -> each.event().type().value())
        .toList();
  }

  public static EndRun ending(
      ActiveRun run, TimelineEventType type, RunStatus status, StagedCursor... cursors) {
    boolean succeeded = status == RunStatus.SUCCEEDED;
    return new EndRun(
        run.fence(),
        List.of(event(type)),
        List.of(cursors),
        new RunHistoryEntry(
            run.run(),
            run.trigger(),
            status,
            run.startedAt(),
            NOON.plusSeconds(10),
            succeeded ? null : "runtime_error",
            succeeded ? null : "runtime_error",
            succeeded ? null : "it went wrong",
            null,
            new RunResultFacts(
                2,
                3L,
                Json.ofChecked("{\"commit_status\":\"committed\"}"),
                Json.ofChecked("[]"),
                Json.ofChecked("{\"books\":{\"page\":5}}"),
                null,
                false)),
        NOON.plusSeconds(10));
  }

  public static EndRun completing(ActiveRun run, StagedCursor... cursors) {
    return ending(run, TimelineEventType.COMPLETED, RunStatus.SUCCEEDED, cursors);
  }

  /** The same of a run that was answered these batches as stored. */
  public static EndRun having(EndRun end, LastBatch... taken) {
    return new EndRun(
        end.fence(), end.events(), end.cursors(), List.of(taken), end.history(), end.now());
  }

  public EndOutcome end(EndRun command) {
    return done(store.runEnds().end(command));
  }

  public static StagedCursor cursor(String stream, int page) {
    return new StagedCursor(stream, Json.ofChecked("{\"page\":" + page + "}"), 2);
  }

  /** The cursors of a scope as {@code stream=cursor}. */
  public List<String> cursors(@Nullable String grantId) {
    return done(store.states().show(new StateScope(SHELF, grantId))).values().stream()
        .map(each -> each.stream() + "=" + each.cursor().text())
        .toList();
  }
}
