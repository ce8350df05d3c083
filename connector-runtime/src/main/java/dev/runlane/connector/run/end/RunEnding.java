package dev.runlane.connector.run.end;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.gap.GapFactory;
import dev.runlane.connector.protocol.gap.GapKind;
import dev.runlane.connector.protocol.gap.KnownGap;
import dev.runlane.connector.protocol.message.ConnectorError;
import dev.runlane.connector.protocol.message.RecoveryAction;
import dev.runlane.connector.run.record.RunFacts;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.run.request.ConnectorRunResult;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.run.state.Faults;
import dev.runlane.connector.run.state.Retries;
import dev.runlane.connector.run.state.RunData;
import dev.runlane.connector.run.state.RunFault;
import dev.runlane.connector.run.state.RunParts;
import dev.runlane.connector.run.state.TimelineWriter;
import dev.runlane.connector.store.record.CommitCursor;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.record.LastBatch;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.record.StagedCursor;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.run.EndOutcome;
import dev.runlane.connector.store.run.EndRun;
import dev.runlane.connector.store.timeline.AppendEvents;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.connector.store.timeline.TimelineEventType;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the end of one run: its cursors where it succeeded, its terminal event, its history. A sink that
 * shares the run's database takes all of it at once; any other is given the cursors first, one by one.
 */
public final class RunEnding {
  private static final Logger LOG = LoggerFactory.getLogger(RunEnding.class);

  /** Cursors that are recorded one by one at most when they are stored with the end, which is recorded with them. */
  private static final int MOST_ADVANCED = AppendEvents.MOST_EVENTS - 1;

  /** Characters of these cursors; all of them are stored in any case. */
  private static final int MOST_ADVANCED_CHARACTERS = 4 << 20;

  private final RunParts parts;
  private final ConnectorRunRequest request;
  private final TimelineWriter timelineWriter;
  private final Retries retries;
  private final BooleanSupplier cancelled;

  private final List<StagedCursor> committed = new ArrayList<>();
  private RunFacts facts;
  private boolean bare;
  private @Nullable RunFault commitFault;

  /**
   * The end of one run.
   *
   * @param facts what is known of it
   * @param cancelled whether the owner has cancelled it by now: then no further cursor is stored before the end
   */
  public RunEnding(
      RunParts parts,
      TimelineWriter timelineWriter,
      Retries retries,
      RunFacts facts,
      BooleanSupplier cancelled) {
    this.cancelled = cancelled;
    this.parts = parts;
    this.request = parts.request();
    this.timelineWriter = timelineWriter;
    this.retries = retries;
    this.facts = facts;
  }

  /**
   * Ends the run.
   *
   * @param fault why it does not complete, or null when it does
   */
  public Future<ConnectorRunResult> end(@Nullable RunFault fault) {
    if (fault != null) {
      return fail(fault);
    }
    facts.cursors().heldBack().forEach(this::addHeldBack);
    List<StagedCursor> cursors = request.persistState() ? facts.cursors().committable() : List.of();
    if (parts.sink().commitsAtRunEnd()) {
      return complete(cursors);
    }
    return commitEach(cursors).compose(tried -> {
      if (commitFault != null) {
        return failCommit(commitFault, cursors.size());
      }
      return committed.size() == cursors.size()
          ? store(null, List.of(), List.of())
          : fail(RunFault.cancelled(false));
    });
  }

  private Future<ConnectorRunResult> complete(List<StagedCursor> cursors) {
    List<TimelineEvent> advanced = new ArrayList<>();
    long characters = 0;
    for (StagedCursor cursor : cursors) {
      committed.add(cursor);
      characters += cursor.cursor().text().length();
      if (advanced.size() < MOST_ADVANCED && characters <= MOST_ADVANCED_CHARACTERS) {
        advanced.add(advanced(cursor));
      }
    }
    return store(null, advanced, cursors);
  }

  private Future<ConnectorRunResult> fail(RunFault fault) {
    if (fault.kind() == RunFault.Kind.FENCED_OUT) {
      return Future.succeededFuture(new ConnectorRunResult.FencedOut());
    }
    if (fault.kind() == RunFault.Kind.FAILED) {
      ConnectorError error = facts.done() == null ? null : facts.done().error();
      facts
          .gaps()
          .addOfRuntime(new GapFactory(request.redaction(), request.scope().explicit())
              .failed(fault.reason(), error));
    }
    return store(fault, List.of(), List.of());
  }

  private Future<ConnectorRunResult> failCommit(RunFault fault, int wanted) {
    if (fault.kind() != RunFault.Kind.FENCED_OUT && wanted > 0) {
      facts
          .gaps()
          .addOfRuntime(KnownGap.ofRuntime(
              GapKind.CHECKPOINT_COMMIT,
              committed.isEmpty() ? "not_committed" : "partially_committed",
              null,
              committed.size() + " of " + wanted + " cursors were stored.",
              RecoveryAction.RETRY_BY_RUNTIME));
    }
    return fail(fault);
  }

  private Future<Void> commitEach(List<StagedCursor> cursors) {
    Future<Void> tried = Future.succeededFuture();
    for (StagedCursor cursor : cursors) {
      tried = tried.compose(before -> cancelled.getAsBoolean()
              || (commitFault != null && commitFault.kind() == RunFault.Kind.FENCED_OUT)
          ? Future.succeededFuture()
          : commit(cursor));
    }
    return tried.compose(all -> timelineWriter.flushed());
  }

  private Future<Void> commit(StagedCursor cursor) {
    CommitCursor command = new CommitCursor(
        request.active().fence(),
        new StateScope(request.active().run().connector(), request.active().grantId()),
        cursor,
        parts.clock().now());
    return retries
        .call(
            parts.options().getSinkAttempts(),
            () -> true,
            () -> parts.sink().commitCursor(command),
            outcome -> outcome instanceof CommitOutcome.Refused refused
                && refused.failure().transientFailure())
        .transform((outcome, failure) -> {
          if (outcome instanceof CommitOutcome.Committed) {
            committed.add(cursor);
            timelineWriter.append(advanced(cursor));
          } else {
            notCommitted(cursor, fault(cursor, outcome, failure));
          }
          return Future.succeededFuture();
        });
  }

  private static RunFault fault(
      StagedCursor cursor, @Nullable CommitOutcome outcome, @Nullable Throwable failure) {
    if (outcome instanceof CommitOutcome.FencedOut) {
      return RunFault.fencedOut();
    }
    return outcome instanceof CommitOutcome.Refused refused
        ? refused(refused.failure(), cursor.stream())
        : Faults.of(
            "a cursor could not be stored",
            failure == null ? new IllegalStateException("no answer") : failure);
  }

  private void notCommitted(StagedCursor cursor, RunFault fault) {
    if (commitFault == null || fault.kind() == RunFault.Kind.FENCED_OUT) {
      commitFault = fault;
    }
    ObjectNode data = cursorData(cursor);
    data.put("state_streams_staged", facts.cursors().count());
    if (fault.message() != null) {
      data.put("error_message", request.redaction().output(fault.message(), RunData.MAX_FAILURE));
    }
    timelineWriter.append(TimelineEventType.STATE_COMMIT_FAILED, "failed", cursor.stream(), data);
  }

  private static RunFault refused(SinkFailure failure, @Nullable String stream) {
    boolean lost = failure.reason().equals(SinkFailure.RECORDS_LOST);
    return RunFault.refused(
        lost ? SinkFailure.RECORDS_LOST : TerminalReason.RUNTIME_ERROR, failure, stream, 0);
  }

  private TimelineEvent advanced(StagedCursor cursor) {
    return timelineWriter
        .event(TimelineEventType.STATE_ADVANCED, "succeeded", cursorData(cursor))
        .onStream(cursor.stream());
  }

  private ObjectNode cursorData(StagedCursor cursor) {
    ObjectNode data = RunData.object();
    RunData.putCursor(data, cursor.cursor(), request.redaction());
    data.put("checkpoint_mode", TerminalReason.CHECKPOINT_MODE);
    data.put("state_streams_committed", committed.size());
    return data;
  }

  private void addHeldBack(String stream) {
    facts
        .gaps()
        .addOfRuntime(KnownGap.ofRuntime(
            GapKind.DETAIL_COVERAGE,
            "detail_coverage_incomplete",
            stream,
            "Details that the stream's cursor depends on were not collected.",
            RecoveryAction.RETRY_BY_RUNTIME));
  }

  private Future<ConnectorRunResult> store(
      @Nullable RunFault fault, List<TimelineEvent> before, List<StagedCursor> cursors) {
    TerminalEvents end = new TerminalEvents(request, facts, fault, List.copyOf(committed));
    TimelineEvent terminal = end.event(timelineWriter);
    List<TimelineEvent> events = new ArrayList<>(before);
    events.add(terminal);
    Instant now = parts.clock().now();
    List<LastBatch> taken =
        fault == null && parts.sink().isCheckedAtRunEnd() ? facts.batches().taken() : List.of();
    EndRun command =
        new EndRun(request.active().fence(), events, cursors, taken, end.history(now), now);
    return retries
        .call(
            parts.options().getStoreAttempts(),
            () -> true,
            () -> parts.ends().end(command),
            outcome -> false)
        .compose(
            outcome -> stored(command, terminal, outcome),
            failure -> unstorable(command, fault, failure));
  }

  /** Whatever a connector said that no store can hold, its run ends, if need be without it. */
  private Future<ConnectorRunResult> unstorable(
      EndRun command, @Nullable RunFault fault, Throwable failure) {
    boolean refused =
        failure instanceof RunlaneException known && known.code() == ErrorCode.VALIDATION_FAILED;
    if (bare || !refused) {
      return Future.failedFuture(failure);
    }
    LOG.error("run {} ends without what it knows", command.fence().runId(), failure);
    uncommit(command);
    bare = true;
    facts = facts.bare();
    return fail(
        fault != null && fault.kind() != RunFault.Kind.FAILED
            ? fault
            : RunFault.ofRuntime(
                TerminalReason.RUNTIME_ERROR, "what is known of the run could not be stored"));
  }

  private Future<ConnectorRunResult> stored(
      EndRun command, TimelineEvent terminal, EndOutcome outcome) {
    if (outcome instanceof EndOutcome.Ended) {
      command.events().forEach(timelineWriter::observe);
      return Future.succeededFuture(new ConnectorRunResult.Ended(terminal, command.history()));
    }
    if (outcome instanceof EndOutcome.AlreadyEnded ended) {
      return Future.succeededFuture(new ConnectorRunResult.EndedBefore(ended.terminal()));
    }
    if (outcome instanceof EndOutcome.CancelledFirst) {
      uncommit(command);
      return store(RunFault.cancelled(false), List.of(), List.of());
    }
    if (outcome instanceof EndOutcome.CursorsRefused refused) {
      uncommit(command);
      return failCommit(refused(refused.failure(), null), command.cursors().size());
    }
    return Future.succeededFuture(new ConnectorRunResult.FencedOut());
  }

  /** What was to be stored with the end was not; what was stored before it stays. */
  private void uncommit(EndRun command) {
    committed.removeAll(command.cursors());
  }
}
