package dev.runlane.runtime.attempt;

import dev.runlane.json.JsonValues;
import dev.runlane.json.VertxJson;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunEventType;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.process.HistoryPages;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.read.ListRunEvents;
import dev.runlane.storage.read.RunEventFilter;
import dev.runlane.storage.read.RunEventSort;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends attempts whose payload the deployed task cannot read. The payload was good for the deployment that created the
 * run, so the run waits for one that can read it: it is released, without a failure, after growing pauses. Each such
 * release says in its meta when the first of them in a row was and how many there were; past the option's time since
 * that first one the run fails. Where the storage lets nobody read histories, or cannot at that moment, nobody knows
 * when the first was, and the run is released again.
 */
final class UndecodablePayloads {
  /** The reason of the releases, and in the meta of the failure. */
  static final String REASON = "undecodable_payload";

  private static final Logger LOG = LoggerFactory.getLogger(UndecodablePayloads.class);
  private static final String SINCE = "since";
  private static final String TIMES = "times";
  private static final RunEventSort LAST_FIRST =
      new RunEventSort(RunEventSort.Field.SEQUENCE, SortDirection.DESC);

  private final RuntimeContext context;

  UndecodablePayloads(RuntimeContext context) {
    this.context = context;
  }

  /**
   * How the current attempt of {@code run} ends. Never fails.
   *
   * @param over asked before each try of a read while the storage is away; true gives up
   */
  Future<AttemptEnd> end(RunRecord run, RunlaneException fault, BooleanSupplier over) {
    Instant now = context.eventTime();
    Duration most = context.options().getUndecodablePayloadTimeout();
    return row(run, now, over)
        .map(row -> now.isBefore(row.since().plus(most))
            ? released(run, row, fault)
            : failed(run, row, fault));
  }

  private Future<Row> row(RunRecord run, Instant now, BooleanSupplier over) {
    if (run.counters().releases() == 0) {
      return Future.succeededFuture(new Row(now, 0));
    }
    if (!context.storage().capabilities().contains(StorageCapability.READS_RUN_HISTORY)) {
      return Future.succeededFuture(new Row(now, run.counters().releases()));
    }
    ListRunEvents lastRelease = new ListRunEvents(
        run.environment(),
        new RunEventFilter(run.id(), Set.of(RunEventType.RELEASED), null, null),
        LAST_FIRST,
        1,
        null);
    return new HistoryPages(context)
        .read(lastRelease, over)
        .map(page -> page.data().stream()
            .map(row -> (RunEvent.Released) row.event())
            .filter(last ->
                REASON.equals(last.reason()) && last.attempt() == run.counters().attempts() - 1)
            .map(UndecodablePayloads::rowOf)
            .findFirst()
            .orElseGet(() -> new Row(now, 0)))
        .recover(failure -> {
          LOG.warn("the last release of run {} could not be read", run.id(), failure);
          return Future.succeededFuture(new Row(now, run.counters().releases()));
        });
  }

  /** What the last release of a row says; one without a readable meta begins the row. */
  private static Row rowOf(RunEvent.Released last) {
    Instant since = last.header().occurredAt();
    Json meta = last.header().meta();
    try {
      JsonObject said = meta == null ? new JsonObject() : VertxJson.object(meta);
      return new Row(
          Instant.parse(said.getString(SINCE, since.toString())),
          Integer.parseInt(said.getString(TIMES, "1")));
    } catch (DateTimeException | NumberFormatException | RunlaneException foreign) {
      return new Row(since, 1);
    }
  }

  private AttemptEnd released(RunRecord run, Row before, RunlaneException fault) {
    int times = before.times() + 1;
    Duration pause = RetryPolicy.DEFAULT_BACKOFF.delay(times, context.randomness());
    LOG.warn(
        "run {} of task {}, attempt {}: {} ({}, {}), released for {}",
        run.id(),
        run.taskId(),
        run.counters().attempts(),
        fault.getMessage(),
        fault.code().value(),
        REASON,
        pause);
    return new AttemptEnd.Released(
        pause,
        REASON,
        JsonValues.object(
            Map.of(SINCE, before.since().toString(), TIMES, Integer.toString(times))));
  }

  private static AttemptEnd failed(RunRecord run, Row before, RunlaneException fault) {
    LOG.warn(
        "run {} of task {}, attempt {}: {} ({}, {}), failed after {} releases since {}",
        run.id(),
        run.taskId(),
        run.counters().attempts(),
        fault.getMessage(),
        fault.code().value(),
        REASON,
        before.times(),
        before.since());
    return new AttemptEnd.Failed(new FailureRecord(
        ErrorCode.VALIDATION_FAILED,
        String.valueOf(fault.getMessage()),
        false,
        JsonValues.object(Map.of(
            "reason",
            REASON,
            SINCE,
            before.since().toString(),
            TIMES,
            Integer.toString(before.times())))));
  }

  /**
   * The releases in a row before this attempt.
   *
   * @param since when the first was, or now
   * @param times how many there were
   */
  private record Row(Instant since, int times) {}
}
