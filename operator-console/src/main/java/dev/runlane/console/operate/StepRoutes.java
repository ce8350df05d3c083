package dev.runlane.console.operate;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Masks;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.contract.ApiCall;
import dev.runlane.console.contract.ApiHandler;
import dev.runlane.console.contract.Pages;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.runtime.operate.Operator;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the document says of remote steps that wait for workers. */
public final class StepRoutes {
  private static final List<String> COLUMNS = List.of(
      "id",
      "runId",
      "name",
      "group",
      "attempt",
      "requestedAt",
      "dispatchedAt",
      "nextAt",
      "deadline",
      "runEnded");

  private final Operator operator;
  private final Masks masks;

  /** Over what one runtime shows operators, for readers from whom these masks hide. */
  public StepRoutes(Operator operator, Masks masks) {
    this.operator = operator;
    this.masks = masks;
  }

  /** The operations by id. */
  public Map<String, ApiHandler> handlers() {
    Map<String, ApiHandler> handlers = new LinkedHashMap<>();
    handlers.put("listSteps", this::list);
    handlers.put("listStepGroups", this::groups);
    return handlers;
  }

  private Future<Answer> list(ApiCall call) {
    ObjectNode meant = JsonNodeFactory.instance.objectNode();
    call.one("group").ifPresent(group -> meant.put("group", group));
    masks.requireVisible(meant, call.caller());
    return operator
        .steps(
            call.one("runId").orElse(null),
            call.one("group").orElse(null),
            call.number("limit").orElse(null),
            call.one("cursor").orElse(null))
        .map(page ->
            Pages.page(call, page, step -> masks.apply(step(step), call.caller()), COLUMNS));
  }

  private Future<Answer> groups(ApiCall call) {
    return operator
        .stepGroups()
        .map(groups -> Pages.page(groups, group -> masks.apply(group(group), call.caller())));
  }

  private static ObjectNode step(WaitingStep step) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("id", step.id());
    body.put("runId", step.runId());
    body.put("name", step.name());
    body.put("group", step.group());
    body.put("attempt", step.attempt());
    instant(body, "requestedAt", step.requestedAt());
    instant(body, "dispatchedAt", step.dispatchedAt());
    instant(body, "nextAt", step.nextAt());
    instant(body, "deadline", step.deadlineAt());
    body.put("runEnded", step.runEnded());
    return body;
  }

  private static ObjectNode group(StepGroup group) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("group", group.group());
    body.put("waiting", group.waiting());
    body.put("dispatched", group.dispatched());
    body.put("mostAttempts", group.mostAttempts());
    instant(body, "oldestRequestedAt", group.oldestRequestedAt());
    instant(body, "firstDeadline", group.firstDeadlineAt());
    return body;
  }

  private static void instant(ObjectNode body, String name, @Nullable Instant at) {
    if (at != null) {
      body.put(name, at.toString());
    }
  }
}
