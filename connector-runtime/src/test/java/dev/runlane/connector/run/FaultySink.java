package dev.runlane.connector.run;

import dev.runlane.connector.store.CheckedBatch;
import dev.runlane.connector.store.record.CommitCursor;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.record.SinkFailure;
import dev.runlane.connector.store.record.StateOutcome;
import dev.runlane.connector.store.record.StateScope;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A sink like one behind HTTP, whose next answers a test decides; else what the real one answers. */
final class FaultySink implements RecordSink {
  static final String FOREIGN_THREAD = "of the sink";

  final Deque<Fault> ingests = new ArrayDeque<>();
  Runnable atCommit = () -> {};
  final Map<String, SinkFailure> commits = new HashMap<>();
  final Set<String> unknownStreams = new HashSet<>();
  final List<Long> batchNumbers = new ArrayList<>();
  boolean commitsAtRunEnd;
  boolean answersOnItsOwnThreads;

  @Nullable
  SinkFailure stateFailure;

  private final RecordSink real;
  private final Map<String, String> committed = new HashMap<>();

  /** What becomes of one batch. */
  enum Fault {
    /** 503, nothing stored. */
    UNAVAILABLE,
    /** Stored, but the answer is lost. */
    ANSWER_LOST,
    /** 401. */
    UNAUTHORIZED,
    /** Answered as stored, and lost with the server that had stored it. */
    STORED_AND_LOST
  }

  FaultySink(RecordSink real) {
    this.real = real;
  }

  static SinkFailure failure(
      String reason, SinkFailure.Phase phase, int httpStatus, boolean passing) {
    return new SinkFailure(
        reason,
        phase,
        SinkFailure.Origin.TRANSPORT,
        httpStatus,
        "application/json",
        17L,
        passing,
        "the server answered " + httpStatus);
  }

  Map<String, String> committed() {
    return committed;
  }

  @Override
  public Future<IngestOutcome> ingest(IngestBatch batch) {
    batchNumbers.add(batch.number());
    if (unknownStreams.contains(batch.stream())) {
      return Future.succeededFuture(new IngestOutcome.StreamUnknown());
    }
    Fault fault = ingests.poll();
    if (fault == null) {
      return answered(real.ingest(batch));
    }
    return switch (fault) {
      case UNAVAILABLE -> refused("ingest_batch_storage_error", 503, true);
      case STORED_AND_LOST ->
        Future.succeededFuture(new IngestOutcome.Stored(CheckedBatch.of(batch).receipt()));
      case UNAUTHORIZED -> refused("authentication_error", 401, false);
      case ANSWER_LOST ->
        real.ingest(batch).compose(stored -> refused("ingest_http_error", 0, true));
    };
  }

  @Override
  public Future<StateOutcome> readState(StateScope scope) {
    return stateFailure == null
        ? answered(real.readState(scope))
        : Future.succeededFuture(new StateOutcome.Refused(stateFailure));
  }

  @Override
  public Future<CommitOutcome> commitCursor(CommitCursor command) {
    atCommit.run();
    SinkFailure failure = commits.get(command.cursor().stream());
    if (failure != null) {
      return Future.succeededFuture(new CommitOutcome.Refused(failure));
    }
    committed.put(command.cursor().stream(), command.cursor().cursor().text());
    return answered(Future.succeededFuture(new CommitOutcome.Committed()));
  }

  @Override
  public long maxBatchBytes() {
    return real.maxBatchBytes();
  }

  @Override
  public boolean commitsAtRunEnd() {
    return commitsAtRunEnd;
  }

  @Override
  public boolean isCheckedAtRunEnd() {
    return commitsAtRunEnd;
  }

  private <T> Future<T> answered(Future<T> answer) {
    if (!answersOnItsOwnThreads) {
      return answer;
    }
    Promise<T> elsewhere = Promise.promise();
    Context caller = Vertx.currentContext();
    answer.onComplete(known -> caller.runOnContext( // not before whoever called has left
        left -> new Thread(() -> elsewhere.handle(known), FOREIGN_THREAD).start()));
    return elsewhere.future();
  }

  private static Future<IngestOutcome> refused(String reason, int status, boolean passing) {
    return Future.succeededFuture(
        new IngestOutcome.Refused(failure(reason, SinkFailure.Phase.INGEST, status, passing)));
  }
}
