package dev.runlane.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.client.http.ApiAddress;
import dev.runlane.client.http.ApiCalls;
import dev.runlane.client.http.ApiJson;
import dev.runlane.client.read.Fields;
import dev.runlane.client.read.FleetReader;
import dev.runlane.client.read.RunReader;
import dev.runlane.json.TtlText;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.operate.MadeByCode;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.timing.Durations;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tasks over HTTP. */
public final class TasksClient {
  private final ApiCalls calls;

  TasksClient(ApiCalls calls) {
    this.calls = calls;
  }

  /** The tasks that the server's process has, and those that others say they have, by their ids. */
  public Future<List<ApiTask>> list() {
    return calls.get(ApiAddress.of("tasks")).map(body -> new Fields("the answer", body)
        .rows("data", TasksClient::task));
  }

  /** A task, or empty where nobody says that there is one. */
  public Future<Optional<ApiTask>> get(String taskId) {
    return calls
        .get(ApiAddress.of("tasks", taskId))
        .map(body -> Optional.of(task(new Fields("the task", body))))
        .recover(failure ->
            failure instanceof RunlaneException known && known.code() == ErrorCode.TASK_NOT_FOUND
                ? Future.succeededFuture(Optional.empty())
                : Future.failedFuture(failure));
  }

  /**
   * Creates a run, to be worked on elsewhere, with all of the options but the actor, who is the token's, and the
   * dispatch. Of a task that the server's process does not have, keys and tags that its code would make must be among
   * them.
   *
   * @param payload as JSON
   */
  public Future<TriggerResult> trigger(String taskId, String payload, TriggerOptions options) {
    return trigger(taskId, payload, options, Set.of(), null);
  }

  /** The same with the keys of the options alone, though the task's code would make others. */
  public Future<TriggerResult> triggerWithGivenKeys(
      String taskId, String payload, TriggerOptions options) {
    return trigger(taskId, payload, options, Set.of(MadeByCode.KEYS), null);
  }

  /**
   * The same for a reason, which the log of actions has, and the run among the details of its creation, and without
   * some of what the task's code would make and the options do not have. Fails with {@code ValidationFailed} where
   * something is left out of a task of the server's own process, whose code makes it, and where tags are at a server of
   * an earlier release.
   *
   * @param reason why; null: nobody said so
   */
  public Future<TriggerResult> trigger(
      String taskId,
      String payload,
      TriggerOptions options,
      Set<MadeByCode> leftOut,
      @Nullable String reason) {
    ObjectNode body = reason == null ? ApiJson.object() : RunsClient.reason(reason);
    if (leftOut.contains(MadeByCode.KEYS)) {
      body.put("withoutKeys", true);
    }
    if (leftOut.contains(MadeByCode.TAGS)) {
      body.put("withoutTags", true);
    }
    return create(taskId, payload, options, body);
  }

  private Future<TriggerResult> create(
      String taskId, String payload, TriggerOptions options, ObjectNode body) {
    return Future.<Void>succeededFuture().compose(start -> {
      body.set("payload", ApiJson.tree("the payload", payload));
      add(body, options);
      return calls.post(ApiAddress.of("tasks", taskId, "trigger"), body).map(RunReader::triggered);
    });
  }

  /**
   * Takes an idempotency key away from the ended run that keeps it; answers the run that had it, or empty where nobody
   * had. Recorded with the reason. Fails with a conflict of kind {@code IDEMPOTENCY_KEY} while its run is active.
   */
  public Future<Optional<String>> resetKey(String taskId, String key, String reason) {
    return calls
        .post(
            ApiAddress.of("tasks", taskId, "reset-key"),
            RunsClient.reason(reason).put("idempotencyKey", key))
        .map(body -> Optional.ofNullable(new Fields("the answer", body).textOrNull("runId")));
  }

  private static void add(ObjectNode body, TriggerOptions options) {
    options.getQueue().map(TaskQueue::name).ifPresent(queue -> body.put("queue", queue));
    options.getRunAt().ifPresent(at -> body.put("runAt", at.toString()));
    options.getDelay().ifPresent(delay -> body.put("delay", Durations.format(delay)));
    options.getIdempotencyKey().ifPresent(key -> body.put("idempotencyKey", key));
    options
        .getIdempotencyTtl()
        .map(TtlText::format)
        .ifPresent(ttl -> body.put("idempotencyTtl", ttl));
    options.getSingletonKey().ifPresent(key -> body.put("singletonKey", key));
    options.getConcurrencyKey().ifPresent(key -> body.put("concurrencyKey", key));
    options.getRunId().ifPresent(id -> body.put("runId", id));
    options.getMeta().ifPresent(meta -> texts(body, "meta", meta));
    options.getTraceCarrier().ifPresent(carrier -> texts(body, "traceCarrier", carrier));
    if (!options.getTags().isEmpty()) {
      texts(body, "tags", options.getTags());
    }
  }

  private static void texts(ObjectNode body, String name, Map<String, String> texts) {
    ObjectNode told = body.putObject(name);
    texts.forEach(told::put);
  }

  private static ApiTask task(Fields row) {
    return new ApiTask(
        FleetReader.task(row),
        row.flag("isLocal"),
        row.textOrNull("publishedBy"),
        row.instantOrNull("publishedAt"));
  }
}
