package dev.runlane.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.client.http.ApiAddress;
import dev.runlane.client.http.ApiCalls;
import dev.runlane.client.read.Fields;
import dev.runlane.client.read.FleetReader;
import dev.runlane.client.read.RunReader;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Schedules over HTTP. */
public final class SchedulesClient {
  private final ApiCalls calls;

  SchedulesClient(ApiCalls calls) {
    this.calls = calls;
  }

  /**
   * A page of the schedules that any process registered, by task and id.
   *
   * @param limit rows wanted, 1 to 200; null: 50
   * @param cursor where the page before ended; null: the first page
   */
  public Future<Page<ApiSchedule>> list(@Nullable Integer limit, @Nullable String cursor) {
    return calls
        .get(ApiAddress.of("schedules").page(limit, cursor))
        .map(body -> Pages.of(body, SchedulesClient::schedule));
  }

  /** A run that is hidden, or has a status that this release does not know, is told as none. */
  private static ApiSchedule schedule(Fields row) {
    return new ApiSchedule(
        FleetReader.schedule(row),
        row.objectOrNull("lastRun")
            .flatMap(run -> Optional.ofNullable(run.textOrNull("status"))
                .flatMap(RunStatus::ofValue)
                .map(status -> new ApiSchedule.LastRun(run.text("id"), status)))
            .orElse(null));
  }

  /** Pauses a schedule. True when it was not paused. Fails with {@code ScheduleNotFound}. */
  public Future<Boolean> pause(String taskId, String scheduleId, String reason) {
    return act(taskId, scheduleId, "pause", reason).map(SchedulesClient::hasChanged);
  }

  /** Resumes a schedule. True when it was paused. */
  public Future<Boolean> resume(String taskId, String scheduleId, String reason) {
    return act(taskId, scheduleId, "resume", reason).map(SchedulesClient::hasChanged);
  }

  /** Triggers the task of a schedule that the server's process has, with the schedule's payload. */
  public Future<TriggerResult> fire(String taskId, String scheduleId, String reason) {
    return act(taskId, scheduleId, "fire", reason).map(RunReader::triggered);
  }

  private Future<JsonNode> act(String taskId, String scheduleId, String action, String reason) {
    return calls.post(
        ApiAddress.of("tasks", taskId, "schedules", scheduleId, action), RunsClient.reason(reason));
  }

  private static boolean hasChanged(JsonNode body) {
    return new Fields("the answer", body).bool("changed");
  }
}
