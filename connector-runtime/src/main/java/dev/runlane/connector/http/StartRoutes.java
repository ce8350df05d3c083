package dev.runlane.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.controller.ConnectorController;
import dev.runlane.connector.controller.RunRequest;
import dev.runlane.connector.controller.StartOutcome;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.run.Json;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Set;

/** Routes that start runs. */
final class StartRoutes {
  private static final String CONNECTOR_ID = "connector_id";
  private static final String FORCE = "force";
  private static final String RESOURCES = "resources";
  private static final String SCOPE = "scope";

  private final ConnectorController controller;

  StartRoutes(ConnectorController controller) {
    this.controller = controller;
  }

  void mount(Router router) {
    for (String owner : List.of("/connectors", "/connections")) {
      String path = owner + "/:connector_id";
      router.post(path + "/run").handler(this::run);
      router.post(path + "/streams/:stream/full-refresh").handler(this::refresh);
    }
  }

  private void run(RoutingContext request) {
    ObjectNode body = HttpBodies.object(request, Set.of(FORCE, RESOURCES, SCOPE));
    RunRequest all = RunRequest.now(request.pathParam(CONNECTOR_ID));
    JsonNode scope = body.path(SCOPE);
    RunRequest wanted = (scope.isMissingNode() ? all : all.withScope(scope(scope)))
        .withResources(HttpBodies.textLists(body, RESOURCES));
    start(request, forced(body) ? wanted.forced() : wanted);
  }

  /** One stream from its beginning; its cursor stays as it is until the run succeeds. */
  private void refresh(RoutingContext request) {
    ObjectNode body = HttpBodies.object(request, Set.of(FORCE));
    String connectorId = request.pathParam(CONNECTOR_ID);
    String stream = request.pathParam("stream");
    RunRequest refresh = RunRequest.now(connectorId).withFullRefreshOf(stream);
    RunRequest wanted = forced(body) ? refresh.forced() : refresh; // a callback could not refuse
    controller
        .manifests()
        .describe(connectorId)
        .onSuccess(found -> {
          if (found.isPresent() && found.get().manifest().stream(stream).isEmpty()) {
            request.fail(StateRoutes.unknownStream());
          } else {
            start(request, wanted);
          }
        })
        .onFailure(request::fail);
  }

  private static Json scope(JsonNode scope) {
    if (!scope.isObject()) {
      throw HttpBodies.refusal(SCOPE, "scope must be an object with streams");
    }
    return Json.ofChecked(scope.toString());
  }

  private static boolean forced(ObjectNode body) {
    JsonNode force = body.path(FORCE);
    if (!force.isMissingNode() && !force.isBoolean()) {
      throw HttpBodies.refusal(FORCE, "force must be true or false");
    }
    return force.asBoolean(false);
  }

  private void start(RoutingContext request, RunRequest wanted) {
    HttpAnswers.send(
        request,
        202,
        controller.start(wanted).map(outcome -> started(outcome, wanted.connectorId())));
  }

  private static ObjectNode started(StartOutcome outcome, String connectorId) {
    if (!(outcome instanceof StartOutcome.Started started)) {
      throw new HttpRefusal(refusal(outcome, connectorId));
    }
    ActiveRun run = started.run();
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("run_id", run.run().runId());
    body.put("trace_id", run.run().traceId());
    body.put("status", "started");
    body.put("trigger_kind", run.trigger().kind().value());
    body.put("automation_mode", run.trigger().mode().value());
    body.put("automation_summary", "The owner started this run and can answer its questions.");
    return body;
  }

  private static HttpError refusal(StartOutcome outcome, String connectorId) {
    if (outcome instanceof StartOutcome.AlreadyActive active) {
      return new HttpError(
          409,
          "run_already_active",
          "connector " + connectorId + " has the active run " + active.runId(),
          null,
          active.runId());
    }
    if (outcome instanceof StartOutcome.CoolingDown cooling) {
      return new HttpError(
          425,
          "provider_pressure_cooldown",
          "the source asked for time; force starts a run nevertheless",
          null,
          null,
          cooling.until());
    }
    return HttpError.notFound(CONNECTOR_ID, "there is no connector with this id that can run");
  }
}
