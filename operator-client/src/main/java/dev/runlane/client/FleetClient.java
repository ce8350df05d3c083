package dev.runlane.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.client.http.ApiAddress;
import dev.runlane.client.http.ApiCalls;
import dev.runlane.client.read.Fields;
import dev.runlane.client.read.FleetReader;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.operator.process.TopicLag;
import dev.runlane.operator.queue.OccupiedPartition;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.storage.limit.PublishedQueue;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Processes, queues, the outbox and what operators did, over HTTP. */
public final class FleetClient {
  private final ApiCalls calls;

  FleetClient(ApiCalls calls) {
    this.calls = calls;
  }

  /** A page of the processes that are known, by their ids, those too that are gone, for a day. */
  public Future<Page<ApiProcess>> processes(@Nullable Integer limit, @Nullable String cursor) {
    return calls
        .get(ApiAddress.of("processes").page(limit, cursor))
        .map(body ->
            Pages.of(body, row -> new ApiProcess(FleetReader.process(row), row.flag("isGone"))));
  }

  /**
   * The leases that workers of a process hold, those that end first first.
   *
   * @param limit leases wanted, 1 to 10 000; a list with as many may not be all
   */
  public Future<List<HeldLease>> leasesOf(String processId, int limit) {
    return calls
        .get(ApiAddress.of("processes", processId, "leases").with("limit", limit))
        .map(body -> new Fields("the answer", body).rows("data", FleetReader::lease));
  }

  /**
   * A page of the remote steps without a result, by their ids. Of a group that few of them are of, it may have fewer
   * than are wanted, or none, and a next page.
   *
   * @param runId of this run; null: of any
   * @param group that the workers of this group are asked for; null: of any
   */
  public Future<Page<WaitingStep>> steps(
      @Nullable String runId,
      @Nullable String group,
      @Nullable Integer limit,
      @Nullable String cursor) {
    return calls
        .get(ApiAddress.of("steps").with("runId", runId).with("group", group).page(limit, cursor))
        .map(body -> Pages.of(body, FleetReader::step));
  }

  /** The groups whose workers remote steps wait for, by their names; cut where very many steps wait. */
  public Future<Page<StepGroup>> stepGroups() {
    return calls
        .get(ApiAddress.of("step-groups"))
        .map(body -> Pages.of(body, FleetReader::stepGroup));
  }

  /** How far the consumers of each topic are behind, as their processes told. */
  public Future<List<TopicLag>> topicLags() {
    return calls.get(ApiAddress.of("topic-lags")).map(body -> new Fields("the answer", body)
        .rows("data", FleetReader::topicLag));
  }

  /** The queues of all living processes, by process and name. */
  public Future<List<PublishedQueue>> publishedQueues() {
    return calls.get(ApiAddress.of("published-queues")).map(body -> new Fields("the answer", body)
        .rows("data", FleetReader::publishedQueue));
  }

  /**
   * The concurrency keys of a bounded queue that hold slots, the fullest first.
   *
   * @param limit keys wanted, 1 to 200
   */
  public Future<OccupiedSlots> occupied(String queue, int limit) {
    return calls
        .get(ApiAddress.of("queues", queue, "occupied").with("limit", limit))
        .map(body -> {
          Fields answer = new Fields("the answer", body);
          return new OccupiedSlots(
              body.has("concurrencyLimit") ? answer.count("concurrencyLimit") : null,
              answer.rows(
                  "data",
                  row -> new OccupiedPartition(
                      row.textOrNull("concurrencyKey"), row.count("occupied"))));
        });
  }

  /** The queues that are paused, by their names. */
  public Future<List<PausedQueue>> pausedQueues() {
    return calls.get(ApiAddress.of("paused-queues")).map(body -> new Fields("the answer", body)
        .rows("data", FleetReader::paused));
  }

  /** Pauses a queue. True when it was not paused. Recorded with the reason. */
  public Future<Boolean> pauseQueue(String queue, String reason) {
    return calls
        .post(ApiAddress.of("queues", queue, "pause"), RunsClient.reason(reason))
        .map(body -> new Fields("the answer", body).bool("changed"));
  }

  /** Resumes a queue. True when it was paused. Recorded with the reason. */
  public Future<Boolean> resumeQueue(String queue, String reason) {
    return calls
        .post(ApiAddress.of("queues", queue, "resume"), RunsClient.reason(reason))
        .map(body -> new Fields("the answer", body).bool("changed"));
  }

  /** What waited in queues and outbox when it was counted last; empty before the first count. */
  public Future<Optional<DepthSample>> depths() {
    return calls.get(ApiAddress.of("depths")).map(body -> new Fields("the answer", body)
        .objectOrNull("sample")
        .map(FleetReader::sample));
  }

  /** A page of the outbox messages of a status, by their ids. */
  public Future<Page<OutboxEntry>> outbox(
      OutboxMessageStatus status, @Nullable Integer limit, @Nullable String cursor) {
    return calls
        .get(ApiAddress.of("outbox").with("status", status.value()).page(limit, cursor))
        .map(body -> Pages.of(body, FleetReader::message));
  }

  /** Has messages published again that are dead-lettered or failed; answers which were. Recorded. */
  public Future<List<String>> redrive(List<String> messageIds, String reason) {
    ObjectNode body = RunsClient.reason(reason);
    ArrayNode ids = body.putArray("messageIds");
    messageIds.forEach(ids::add);
    return redriven(body);
  }

  /** Has up to so many dead-lettered messages published again; answers which. Recorded. */
  public Future<List<String>> redriveDeadLetters(int limit, String reason) {
    return redriven(RunsClient.reason(reason).put("limit", limit));
  }

  private Future<List<String>> redriven(ObjectNode body) {
    return calls
        .post(ApiAddress.of("outbox", "redrive"), body)
        .map(answer -> new Fields("the answer", answer).texts("messageIds"));
  }

  /** A page of what operators did that belongs to no run, the latest first. */
  public Future<Page<OperatorAction>> actions(@Nullable Integer limit, @Nullable String cursor) {
    return actions(ActionFilter.ALL, limit, cursor);
  }

  /** A page of those that fit a filter; of a console of an earlier release, of all. */
  public Future<Page<OperatorAction>> actions(
      ActionFilter filter, @Nullable Integer limit, @Nullable String cursor) {
    return calls
        .get(ApiAddress.of("actions")
            .with("actor", filter.actor())
            .with("action", filter.action())
            .with("target", filter.target())
            .with("from", filter.from())
            .with("until", filter.until())
            .page(limit, cursor))
        .map(body -> Pages.of(body, FleetReader::action));
  }
}
