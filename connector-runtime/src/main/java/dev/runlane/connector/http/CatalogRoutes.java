package dev.runlane.connector.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.controller.ConnectorController;
import dev.runlane.connector.controller.ConnectorFolder;
import dev.runlane.connector.protocol.ConnectorManifest;
import dev.runlane.connector.schedule.ScheduleBook;
import dev.runlane.connector.store.ActiveRun;
import dev.runlane.connector.store.ConnectorRef;
import dev.runlane.connector.store.EditOutcome;
import dev.runlane.connector.store.RunStats;
import dev.runlane.connector.store.StateScope;
import dev.runlane.connector.store.StoredCursor;
import io.vertx.core.Future;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Routes about connectors: which there are, and the cursors they have. */
final class CatalogRoutes {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final int MOST_CONNECTORS = 200;

  private final ConnectorController controller;
  private final ScheduleBook schedules;

  CatalogRoutes(ConnectorController controller, ScheduleBook schedules) {
    this.controller = controller;
    this.schedules = schedules;
  }

  void mount(Router router) {
    router.get("/connectors").handler(this::list);
    router.get("/connectors/:connector_id/state").handler(this::state);
    router.delete("/connectors/:connector_id/state/:stream").handler(this::reset);
  }

  /** By id; the cursor is the last id of the page before. */
  private void list(RoutingContext request) {
    if (request.queryParam("limit").isEmpty()) {
      throw HttpBodies.refusal("limit", "limit is required");
    }
    int limit = HttpBodies.number(request, "limit", MOST_CONNECTORS, MOST_CONNECTORS);
    String after = request.queryParam("cursor").stream().findFirst().orElse("");
    List<ConnectorFolder> rest = controller.registries().all().stream()
        .filter(connector -> connector.manifest().connectorId().compareTo(after) > 0)
        .toList();
    List<ConnectorFolder> page = rest.subList(0, Math.min(limit, rest.size()));
    List<Future<ObjectNode>> entries = page.stream().map(this::entry).toList();
    answer(request, Future.join(entries).map(all -> {
      ObjectNode body = NODES.objectNode();
      body.put("object", "list");
      ArrayNode data = body.putArray("data");
      entries.forEach(entry -> data.add(entry.result()));
      boolean more = rest.size() > page.size();
      body.put("next_cursor", more ? page.get(page.size() - 1).manifest().connectorId() : null);
      return body;
    }));
  }

  private Future<ObjectNode> entry(ConnectorFolder connector) {
    String id = connector.manifest().connectorId();
    return controller.store().activeRuns().findByInstance(id).compose(active -> controller
        .store()
        .history()
        .stats(id)
        .compose(stats -> schedules.find(id).map(schedule -> {
          ObjectNode body = entry(connector, active, stats);
          body.set("schedule", schedule.map(ScheduleJson::of).orElse(null));
          return body;
        })));
  }

  private static ObjectNode entry(
      ConnectorFolder connector, Optional<ActiveRun> active, RunStats stats) {
    ConnectorManifest manifest = connector.manifest();
    ObjectNode body = NODES.objectNode();
    body.put("object", "connector");
    body.put("connector_id", manifest.connectorId());
    body.put("connector_instance_id", manifest.connectorId());
    body.put("display_name", manifest.displayName());
    body.put("version", manifest.version());
    body.put("runnable", connector.isRunnable());
    ArrayNode streams = body.putArray("streams");
    manifest.streams().forEach(stream -> streams.add(stream.name()));
    body.set("refresh_policy", ScheduleJson.policy(manifest.refreshPolicy()));
    body.put("active_run_id", active.map(run -> run.run().runId()).orElse(null));
    body.set("last_run", stats.lastRun().map(RunJson::history).orElse(null));
    body.put("total_runs", stats.totalRuns());
    body.put("last_started_at", text(stats.lastStartedAt()));
    body.put("last_finished_at", text(stats.lastFinishedAt()));
    body.put("last_successful_at", text(stats.lastSuccessfulAt()));
    return body;
  }

  private void state(RoutingContext request) {
    String connectorId = known(request);
    answer(
        request,
        controller
            .store()
            .states()
            .show(StateScope.of(ConnectorRef.of(connectorId)))
            .map(cursors -> state(connectorId, cursors)));
  }

  private static ObjectNode state(String connectorId, Map<String, StoredCursor> cursors) {
    ObjectNode body = NODES.objectNode();
    body.put("object", "connector_state");
    body.put("connector_id", connectorId);
    ObjectNode state = body.putObject("state");
    cursors.forEach((stream, stored) -> state.set(stream, RunJson.tree(stored.cursor())));
    return body;
  }

  /** The next run reads the stream from its beginning, and the others go on. */
  private void reset(RoutingContext request) {
    StateScope scope = StateScope.of(ConnectorRef.of(known(request)));
    controller
        .store()
        .states()
        .reset(scope, request.pathParam("stream"))
        .onSuccess(outcome -> {
          if (outcome instanceof EditOutcome.Edited) {
            request.response().setStatusCode(204).end();
          } else {
            request.fail(new HttpRefusal(refusal(outcome)));
          }
        })
        .onFailure(request::fail);
  }

  private static HttpError refusal(EditOutcome outcome) {
    if (outcome instanceof EditOutcome.RunActive active) {
      return new HttpError(
          409,
          "run_already_active",
          "run " + active.runId() + " would end with its own cursors",
          null,
          active.runId());
    }
    return HttpError.notFound("stream", "the stream has no cursor");
  }

  private String known(RoutingContext request) {
    String connectorId = request.pathParam("connector_id");
    return controller
        .registries()
        .describe(connectorId)
        .map(connector -> connector.manifest().connectorId())
        .orElseThrow(() -> new HttpRefusal(
            HttpError.notFound("connector_id", "there is no connector with this id")));
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }

  private static void answer(RoutingContext request, Future<ObjectNode> body) {
    body.onComplete(made -> {
      if (made.succeeded()) {
        HttpAnswers.send(request, 200, made.result());
      } else {
        request.fail(made.cause());
      }
    });
  }
}
