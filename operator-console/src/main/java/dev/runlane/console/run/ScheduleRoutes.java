package dev.runlane.console.run;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.console.contract.CountedPages;
import dev.runlane.console.contract.Pages;
import dev.runlane.operator.schedule.ScheduleName;
import dev.runlane.operator.schedule.SchedulePause;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.operate.ListedSchedule;
import dev.runlane.runtime.operate.Schedules;
import dev.runlane.storage.read.RunSummary;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the document says of schedules. */
public final class ScheduleRoutes {
  private static final List<String> COLUMNS = List.of(
      "taskId",
      "scheduleId",
      "definition",
      "zone",
      "firstSeen",
      "lastSeen",
      "lastFire",
      "nextFire",
      "missedFire",
      "pause.pausedAt",
      "pause.actor.id",
      "pause.reason");

  private final Schedules schedules;
  private final RunBodies bodies;
  private final Masks masks;

  /** Over the schedules of one runtime's environment. */
  public ScheduleRoutes(Runlane runlane, Masks masks) {
    schedules = runlane.schedules();
    bodies = new RunBodies(masks);
    this.masks = masks;
  }

  /** The operations by id. */
  public Map<String, ApiHandler> handlers() {
    Map<String, ApiHandler> handlers = new LinkedHashMap<>();
    handlers.put("listSchedules", this::list);
    handlers.put("getSchedule", this::get);
    handlers.put("pauseSchedule", this::pause);
    handlers.put("resumeSchedule", this::resume);
    handlers.put("fireSchedule", this::fire);
    return handlers;
  }

  private Future<Answer> list(ApiCall call) {
    ObjectNode order =
        JsonNodeFactory.instance.objectNode().put("taskId", "any").put("scheduleId", "any");
    return CountedPages.read(
            call,
            masks.hidesAnyOf(order, call.caller()),
            (begin, limit, cursor) -> schedules.list(limit, cursor))
        .compose(page -> schedules
            .lastRuns(page.data())
            .map(
                runs -> Pages.page(call, page, schedule -> masked(schedule, runs, call), COLUMNS)));
  }

  private Future<Answer> get(ApiCall call) {
    return schedules
        .get(task(call), schedule(call))
        .map(found -> found.orElseThrow(() -> RunlaneException.of(
            ErrorCode.SCHEDULE_NOT_FOUND,
            "task %s has no schedule %s, as far as any process registered one",
            task(call),
            schedule(call))))
        .compose(found ->
            schedules.lastRuns(List.of(found)).map(runs -> Answer.ok(masked(found, runs, call))));
  }

  private Future<Answer> pause(ApiCall call) {
    return schedules
        .pause(task(call), schedule(call), RunRoutes.action(call))
        .map(changed -> changed(call, changed));
  }

  private Future<Answer> resume(ApiCall call) {
    return schedules
        .resume(task(call), schedule(call), RunRoutes.action(call))
        .map(changed -> changed(call, changed));
  }

  private Future<Answer> fire(ApiCall call) {
    return schedules
        .fire(task(call), schedule(call), RunRoutes.action(call))
        .map(result -> RunRoutes.triggered(bodies, result, call.caller()));
  }

  private static Answer changed(ApiCall call, boolean isChanged) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("taskId", task(call));
    body.put("scheduleId", schedule(call));
    body.put("changed", isChanged);
    return Answer.ok(body);
  }

  private ObjectNode masked(
      ListedSchedule listed, Map<ScheduleName, RunSummary> lastRuns, ApiCall call) {
    return masks.apply(body(listed, lastRuns.get(listed.state().name())), call.caller());
  }

  private static ObjectNode body(ListedSchedule listed, @Nullable RunSummary lastRun) {
    ScheduleState state = listed.state();
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("taskId", state.name().taskId());
    body.put("scheduleId", state.name().scheduleId());
    body.put("definition", state.definition());
    if (listed.zone() != null) {
      body.put("zone", listed.zone().getId());
    }
    body.put("firstSeen", state.firstSeen().toString());
    body.put("lastSeen", state.lastSeen().toString());
    body.put("countsFrom", state.countsFrom().toString());
    instant(body, "lastFire", state.lastFire());
    instant(body, "nextFire", listed.nextFire());
    instant(body, "missedFire", listed.missedFire());
    instant(body, "resumedAt", state.resumedAt());
    if (lastRun != null) {
      body.putObject("lastRun")
          .put("id", lastRun.id())
          .put("status", lastRun.status().value());
    }
    SchedulePause pause = state.pause();
    if (pause != null) {
      ObjectNode told = body.putObject("pause");
      ObjectNode actor =
          told.putObject("actor").put("type", pause.actor().type().value());
      if (pause.actor().id() != null) {
        actor.put("id", pause.actor().id());
      }
      if (pause.reason() != null) {
        told.put("reason", pause.reason());
      }
      told.put("pausedAt", pause.pausedAt().toString());
    }
    return body;
  }

  private static void instant(ObjectNode body, String name, @Nullable Instant value) {
    if (value != null) {
      body.put(name, value.toString());
    }
  }

  private static String task(ApiCall call) {
    return call.pathValue("taskId");
  }

  private static String schedule(ApiCall call) {
    return call.pathValue("scheduleId");
  }
}
