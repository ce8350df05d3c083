package dev.runlane.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.controller.ConnectorController;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.record.EditOutcome;
import dev.runlane.connector.store.record.StateScope;
import dev.runlane.connector.store.record.StoredCursor;
import dev.runlane.run.Json;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

/** Routes about the cursors of a connection: its own, or with {@code ?grant_id} those that a grant keeps. */
final class StateRoutes {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String CURSOR = "cursor";

  private final ConnectorController controller;
  private final Clock clock;

  StateRoutes(ConnectorController controller, Clock clock) {
    this.controller = controller;
    this.clock = clock;
  }

  void mount(Router router) {
    router.get("/connectors/:connector_id/state").handler(this::show);
    router.put("/connectors/:connector_id/state/:stream").handler(this::edit);
    router.delete("/connectors/:connector_id/state/:stream").handler(this::reset);
  }

  private void show(RoutingContext request) {
    StateScope scope = scope(request);
    HttpAnswers.send(
        request, 200, controller.store().states().show(scope).map(found -> state(scope, found)));
  }

  private static ObjectNode state(StateScope scope, Map<String, StoredCursor> cursors) {
    ObjectNode body = NODES.objectNode();
    body.put("object", "connector_state");
    body.put("connector_id", scope.connector().connectorId());
    body.put("connector_instance_id", scope.connector().instanceId());
    ObjectNode state = body.putObject("state");
    ObjectNode streams = body.putObject("streams");
    cursors.forEach((stream, stored) -> {
      state.set(stream, RunJson.tree(stored.cursor()));
      ObjectNode facts = streams.putObject(stream);
      facts.put("run_id", stored.runId());
      facts.put("records_accepted", stored.recordsAccepted());
      Instant updatedAt = stored.updatedAt();
      facts.put("updated_at", updatedAt == null ? null : updatedAt.toString());
    });
    return body;
  }

  /** The next run continues from this cursor. */
  private void edit(RoutingContext request) {
    StateScope scope = scope(request);
    String stream = request.pathParam("stream");
    JsonNode cursor = HttpBodies.object(request, Set.of(CURSOR)).path(CURSOR);
    if (!cursor.isObject() && !cursor.isNull()) {
      throw HttpBodies.refusal(CURSOR, "cursor must be an object or null");
    }
    if (HttpAnswers.isMasked(request) && cursor.toString().contains(HttpAnswers.MASKED)) {
      throw HttpBodies.refusal(
          CURSOR, "cursor has [masked], which would be stored: send the value itself");
    }
    Future<ObjectNode> edited = controller
        .manifests()
        .describe(scope.connector().connectorId())
        .compose(found -> {
          if (found.flatMap(connector -> connector.manifest().stream(stream)).isEmpty()) {
            throw unknownStream();
          }
          return controller
              .store()
              .states()
              .edit(scope, stream, Json.ofChecked(cursor.toString()), clock.now());
        })
        .compose(outcome -> {
          require(outcome);
          return controller.store().states().show(scope);
        })
        .map(cursors -> state(scope, cursors));
    HttpAnswers.send(request, 200, edited);
  }

  /** The next run reads the stream from its beginning, and the others continue. */
  private void reset(RoutingContext request) {
    StateScope scope = scope(request);
    Future<Boolean> reset = controller
        .store()
        .states()
        .reset(scope, request.pathParam("stream"))
        .map(outcome -> {
          require(outcome);
          return true;
        });
    HttpAnswers.deleted(request, reset, unknownStream());
  }

  private static void require(EditOutcome outcome) {
    if (outcome instanceof EditOutcome.RunActive active) {
      throw new HttpRefusal(new HttpError(
          409,
          "run_already_active",
          "run " + active.runId() + " would end with its own cursors",
          null,
          active.runId()));
    }
    if (outcome instanceof EditOutcome.NotFound) {
      throw new HttpRefusal(HttpError.notFound("stream", "the stream has no cursor"));
    }
  }

  static HttpRefusal unknownStream() {
    return new HttpRefusal(HttpError.notFound("stream", "the connector has no such stream"));
  }

  private StateScope scope(RoutingContext request) {
    String connectorId = request.pathParam("connector_id");
    if (controller.registries().describe(connectorId).isEmpty()) {
      throw new HttpRefusal(
          HttpError.notFound("connector_id", "there is no connector with this id"));
    }
    return new StateScope(
        ConnectorRef.of(connectorId),
        request.queryParam("grant_id").stream().findFirst().orElse(null));
  }
}
