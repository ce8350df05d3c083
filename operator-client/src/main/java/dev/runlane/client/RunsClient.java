package dev.runlane.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.client.http.ApiAddress;
import dev.runlane.client.http.ApiCalls;
import dev.runlane.client.http.ApiJson;
import dev.runlane.client.read.Fields;
import dev.runlane.client.read.FleetReader;
import dev.runlane.client.read.RunReader;
import dev.runlane.operator.log.LogLine;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.operate.RunAttempt;
import dev.runlane.runtime.operate.RunExplanation;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.SortDirection;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs over HTTP. Values that the server masks for the token's role are the text {@code [masked]} or left out. */
public final class RunsClient {
  private final ApiCalls calls;

  RunsClient(ApiCalls calls) {
    this.calls = calls;
  }

  /**
   * A page of runs, the newest first.
   *
   * @param tags the run must have all of them
   * @param limit rows wanted, 1 to 200; null: 50
   * @param cursor where the page before ended; null: the first page
   */
  public Future<Page<TaggedSummary>> list(
      RunFilter filter,
      Map<String, String> tags,
      @Nullable Integer limit,
      @Nullable String cursor) {
    return list(filter, tags, SortDirection.DESC, limit, cursor);
  }

  /** The same, the newest or the oldest first; of a console of an earlier release by tags always the newest. */
  public Future<Page<TaggedSummary>> list(
      RunFilter filter,
      Map<String, String> tags,
      SortDirection direction,
      @Nullable Integer limit,
      @Nullable String cursor) {
    ApiAddress address = ApiAddress.of("runs")
        .withAll("status", filter.statuses().stream().map(RunStatus::value).toList())
        .withAll("task", filter.taskIds())
        .withAll("queue", filter.queues())
        .with("concurrencyKey", filter.concurrencyKey())
        .with("idempotencyKey", filter.idempotencyKey())
        .with("singletonKey", filter.singletonKey())
        .with("createdFrom", filter.createdFrom())
        .with("createdBefore", filter.createdBefore())
        .withAll(
            "tag",
            tags.entrySet().stream()
                .map(tag -> tag.getKey() + ":" + tag.getValue())
                .toList())
        .with("direction", direction == SortDirection.ASC ? direction.value() : null)
        .page(limit, cursor);
    return calls
        .get(address)
        .map(body -> Pages.of(
            body, row -> new TaggedSummary(RunReader.summary(row), RunReader.tags(row.node()))));
  }

  /** A run as it is now, or empty when it does not exist. */
  public Future<Optional<TaggedRecord>> get(String runId) {
    return calls
        .get(ApiAddress.of("runs", runId))
        .map(run -> Optional.of(new TaggedRecord(RunReader.run(run), RunReader.tags(run))))
        .recover(failure ->
            failure instanceof RunlaneException known && known.code() == ErrorCode.RUN_NOT_FOUND
                ? Future.succeededFuture(Optional.empty())
                : Future.failedFuture(failure));
  }

  /** A page of a run's history from its beginning. */
  public Future<Page<RunEventRecord>> events(
      String runId, @Nullable Integer limit, @Nullable String cursor) {
    return calls
        .get(ApiAddress.of("runs", runId, "events").page(limit, cursor))
        .map(body -> Pages.of(body, row -> RunReader.event(row.node())));
  }

  /** Every attempt of a run, in order. */
  public Future<List<RunAttempt>> attempts(String runId) {
    return calls
        .get(ApiAddress.of("runs", runId, "attempts"))
        .map(body -> new Fields("the answer", body).rows("data", RunReader::attempt));
  }

  /** Why a run is where it is. Fails with {@code RunNotFound}. */
  public Future<RunExplanation> explain(String runId) {
    return calls.get(ApiAddress.of("runs", runId, "explanation")).map(RunReader::explanation);
  }

  /** A page of the lines that a run's handlers wrote. */
  public Future<Page<LogLine>> log(String runId, @Nullable Integer limit, @Nullable String cursor) {
    return calls
        .get(ApiAddress.of("runs", runId, "log").page(limit, cursor))
        .map(body -> Pages.of(body, FleetReader::line));
  }

  /** Cancels a run; recorded with the reason. Fails with {@code ValidationFailed} where it has ended. */
  public Future<RunRecord> cancel(String runId, String reason) {
    return calls.post(ApiAddress.of("runs", runId, "cancel"), reason(reason)).map(RunReader::run);
  }

  /** Runs a failed run again, as a new one. */
  public Future<TriggerResult> retry(String runId, String reason) {
    return calls
        .post(ApiAddress.of("runs", runId, "retry"), reason(reason))
        .map(RunReader::triggered);
  }

  /**
   * Runs an ended run again, as a new one.
   *
   * @param payload another payload, as JSON; null: that of the run
   */
  public Future<TriggerResult> rerun(String runId, @Nullable String payload, String reason) {
    return Future.<Void>succeededFuture().compose(start -> {
      ObjectNode body = reason(reason);
      if (payload != null) {
        body.set("payload", ApiJson.tree("the payload", payload));
      }
      return calls.post(ApiAddress.of("runs", runId, "rerun"), body).map(RunReader::triggered);
    });
  }

  static ObjectNode reason(String reason) {
    return ApiJson.object().put("reason", reason);
  }
}
