package dev.runlane.connector.store.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.adapter.AdapterCall;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.record.CommitCursor;
import dev.runlane.connector.store.record.CommitOutcome;
import dev.runlane.connector.store.record.IngestBatch;
import dev.runlane.connector.store.record.IngestOutcome;
import dev.runlane.connector.store.record.IngestReceipt;
import dev.runlane.connector.store.record.RecordSink;
import dev.runlane.connector.store.record.SinkFailure.Phase;
import dev.runlane.connector.store.record.StateOutcome;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.record.StoredCursor;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Records and cursors at a resource server. One batch is one request of JSON lines, at a time; this makes each call
 * once, and says of one without an answer that it may be made again, as nobody knows what came of it. The server's
 * identity of records makes that harmless: the batch adds no record, but one that changes a record twice adds two
 * versions again. A server that works on the first request after it was given up must not let it overtake the
 * second. The server knows no fence either: a run that was lost must have ended its connector before another
 * begins, which the active run's row sees to.
 *
 * <p>Redirects are not followed, and the token is sent to the configured address alone; whom the client trusts as that
 * server is the client's to say. Safe for use by any thread.
 */
public final class HttpRecordSink implements RecordSink {
  private static final String NDJSON = "application/x-ndjson";
  private static final String JSON = "application/json";
  private static final Buffer NOTHING = Buffer.buffer();

  private final HttpCalls calls;
  private final int maxRequestBytes;

  /**
   * A sink that uses {@code client}, which stays the caller's to close. Throws {@code ConfigurationInvalid} when the
   * options have no address.
   */
  public HttpRecordSink(HttpClient client, HttpRecordSinkOptions options, TokenSource tokens) {
    HttpRecordSinkOptions copy = new HttpRecordSinkOptions(options);
    if (copy.getBaseUri() == null) {
      throw RunlaneException.configurationInvalid("a resource server needs an address");
    }
    this.calls = new HttpCalls(client, copy, tokens);
    this.maxRequestBytes = copy.getMaxRequestBytes();
  }

  @Override
  public long maxBatchBytes() {
    return maxRequestBytes;
  }

  @Override
  public boolean commitsAtRunEnd() {
    return false;
  }

  @Override
  public Future<IngestOutcome> ingest(IngestBatch batch) {
    return AdapterCall.of("ingest", () -> {
      StoreChecks.requireBatch(batch);
      Buffer body = JsonBodies.lines(batch.records());
      if (body.length() > maxRequestBytes) {
        return Future.succeededFuture(new IngestOutcome.Refused(
            HttpFailures.tooLarge(Phase.INGEST, body.length(), maxRequestBytes)));
      }
      return calls
          .call(HttpMethod.POST, ingestPath(batch), NDJSON, body)
          .transform((answer, failure) -> Future.succeededFuture(
              failure == null
                  ? ingested(answer, batch.records().size())
                  : new IngestOutcome.Refused(HttpFailures.unanswered(failure, Phase.INGEST))));
    });
  }

  private static String ingestPath(IngestBatch batch) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("connector_id", batch.connector().connectorId());
    parameters.put("connector_instance_id", batch.connector().instanceId());
    parameters.put("run_id", batch.fence().runId());
    return "/v1/ingest/" + HttpCalls.encoded(batch.stream()) + HttpCalls.query(parameters);
  }

  private static IngestOutcome ingested(HttpAnswer answer, int attempted) {
    if (answer.isSuccess()) {
      return receipt(answer, attempted);
    }
    boolean unknown = answer.status() == 404
        && HttpFailures.code(answer).filter(HttpFailures.NOT_FOUND::equals).isPresent();
    return unknown
        ? new IngestOutcome.StreamUnknown()
        : new IngestOutcome.Refused(HttpFailures.of(answer, Phase.INGEST));
  }

  private static IngestOutcome receipt(HttpAnswer answer, int attempted) {
    Optional<JsonNode> body = JsonBodies.object(answer)
        .filter(each -> isCount(each.path("records_attempted"))
            && isCount(each.path("records_accepted"))
            && isCount(each.path("records_rejected")));
    if (body.isEmpty()) {
      return invalid(answer, HttpFailures.RESPONSE_INVALID);
    }
    int accepted = body.get().path("records_accepted").intValue();
    int rejected = body.get().path("records_rejected").intValue();
    boolean adds = body.get().path("records_attempted").intValue() == attempted
        && (long) accepted + rejected == attempted;
    return adds
        ? new IngestOutcome.Stored(new IngestReceipt(
            attempted, accepted, rejected, rejections(body.get().path("rejections"), attempted)))
        : invalid(answer, HttpFailures.COUNTS_WRONG);
  }

  private static IngestOutcome invalid(HttpAnswer answer, String reason) {
    return new IngestOutcome.Refused(HttpFailures.invalid(answer, Phase.INGEST, reason));
  }

  private static boolean isCount(JsonNode value) {
    return value.isIntegralNumber() && value.canConvertToInt() && value.intValue() >= 0;
  }

  private static List<IngestReceipt.Rejection> rejections(JsonNode list, int attempted) {
    List<IngestReceipt.Rejection> rejections = new ArrayList<>();
    for (JsonNode each : list) {
      JsonNode index = each.path("input_index");
      if (rejections.size() < IngestReceipt.MOST_REJECTIONS
          && each.path("code").isTextual()
          && isCount(index)
          && index.intValue() < attempted) {
        rejections.add(new IngestReceipt.Rejection(
            index.intValue(), HttpFailures.bounded(each.path("code").textValue())));
      }
    }
    return rejections;
  }

  @Override
  public Future<StateOutcome> readState(StateScope scope) {
    return AdapterCall.of("readState", () -> {
      StoreChecks.requireScope(scope);
      return calls
          .call(HttpMethod.GET, statePath(scope), JSON, NOTHING)
          .transform((answer, failure) -> Future.succeededFuture(
              failure == null
                  ? state(answer)
                  : new StateOutcome.Refused(HttpFailures.unanswered(failure, Phase.STATE_READ))));
    });
  }

  private static StateOutcome state(HttpAnswer answer) {
    if (!answer.isSuccess()) {
      return new StateOutcome.Refused(HttpFailures.of(answer, Phase.STATE_READ));
    }
    return JsonBodies.object(answer)
        .map(body -> body.path("state"))
        .filter(JsonNode::isObject)
        .flatMap(HttpRecordSink::cursors)
        .<StateOutcome>map(StateOutcome.Found::new)
        .orElseGet(() -> new StateOutcome.Refused(
            HttpFailures.invalid(answer, Phase.STATE_READ, HttpFailures.RESPONSE_INVALID)));
  }

  /** Empty when a cursor is neither an object nor null. */
  private static Optional<Map<String, StoredCursor>> cursors(JsonNode state) {
    Map<String, StoredCursor> cursors = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> each : state.properties()) {
      if (!each.getValue().isObject() && !each.getValue().isNull()) {
        return Optional.empty();
      }
      cursors.put(
          each.getKey(),
          new StoredCursor(each.getKey(), JsonBodies.json(each.getValue()), null, 0, null));
    }
    return Optional.of(cursors);
  }

  @Override
  public Future<CommitOutcome> commitCursor(CommitCursor command) {
    return AdapterCall.of("commitCursor", () -> {
      StoreChecks.requireScope(command.scope());
      StoreChecks.requireCursors(List.of(command.cursor()));
      return calls
          .call(
              HttpMethod.PUT, statePath(command.scope()), JSON, JsonBodies.state(command.cursor()))
          .transform((answer, failure) -> Future.succeededFuture(committed(answer, failure)));
    });
  }

  private static CommitOutcome committed(HttpAnswer answer, @Nullable Throwable failure) {
    if (failure != null) {
      return new CommitOutcome.Refused(HttpFailures.unanswered(failure, Phase.STATE_COMMIT));
    }
    if (!answer.isSuccess()) {
      return new CommitOutcome.Refused(HttpFailures.of(answer, Phase.STATE_COMMIT));
    }
    return answer.bodyBytes() == 0 || JsonBodies.object(answer).isPresent()
        ? new CommitOutcome.Committed()
        : new CommitOutcome.Refused(
            HttpFailures.invalid(answer, Phase.STATE_COMMIT, HttpFailures.RESPONSE_INVALID));
  }

  private static String statePath(StateScope scope) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("connector_instance_id", scope.connector().instanceId());
    String grantId = scope.grantId();
    if (grantId != null) {
      parameters.put("grant_id", grantId);
    }
    return "/v1/state/"
        + HttpCalls.encoded(scope.connector().connectorId())
        + HttpCalls.query(parameters);
  }
}
