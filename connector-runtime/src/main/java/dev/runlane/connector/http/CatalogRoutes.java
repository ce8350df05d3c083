package dev.runlane.connector.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.controller.ConnectorController;
import dev.runlane.connector.controller.registry.ConnectorFolder;
import dev.runlane.connector.controller.registry.ManifestChoices.Choice;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.schedule.ScheduleService;
import dev.runlane.connector.store.history.RunStats;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.run.ActiveRun;
import io.vertx.core.Future;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which connectors there are, and what one of them says about itself. */
final class CatalogRoutes {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final int MOST_CONNECTORS = 200;

  private final ConnectorController controller;
  private final ScheduleService schedules;
  private final OwnerChecks owners;

  CatalogRoutes(ConnectorController controller, ScheduleService schedules, OwnerChecks owners) {
    this.controller = controller;
    this.schedules = schedules;
    this.owners = owners;
  }

  void mount(Router router) {
    router.get("/connectors").handler(this::list);
    router.get("/connectors/:connector_id").handler(this::show);
  }

  /** By id; the cursor is the last id of the page before. */
  private void list(RoutingContext request) {
    if (request.queryParam("limit").isEmpty()) {
      throw HttpBodies.refusal("limit", "limit is required");
    }
    int limit = HttpBodies.number(request, "limit", MOST_CONNECTORS, MOST_CONNECTORS);
    String after = request.queryParam("cursor").stream().findFirst().orElse("");
    HttpAnswers.send(
        request,
        200,
        controller
            .manifests()
            .all()
            .compose(all -> owners.only(request, all, CatalogRoutes::connection))
            .map(all ->
                all.stream().filter(choice -> id(choice).compareTo(after) > 0).toList())
            .compose(rest -> page(rest, limit)));
  }

  /** The entry of the list with the whole manifest beside it. */
  private void show(RoutingContext request) {
    String connectorId = request.pathParam("connector_id");
    HttpAnswers.send(request, 200, controller.manifests().all().compose(all -> all.stream()
        .filter(choice -> id(choice).equals(connectorId))
        .findFirst()
        .map(choice -> entry(choice).map(body -> {
          body.set("manifest", RunJson.tree(choice.connector().manifest().source()));
          return body;
        }))
        .orElseThrow(() -> new HttpRefusal(
            HttpError.notFound("connector_id", "there is no connector with this id")))));
  }

  private Future<ObjectNode> page(List<Choice> rest, int limit) {
    List<Choice> page = rest.subList(0, Math.min(limit, rest.size()));
    List<Future<ObjectNode>> entries = page.stream().map(this::entry).toList();
    return Future.join(entries).map(all -> {
      ObjectNode body = NODES.objectNode();
      body.put("object", "list");
      ArrayNode data = body.putArray("data");
      entries.forEach(entry -> data.add(entry.result()));
      body.put("next_cursor", rest.size() > page.size() ? id(page.get(page.size() - 1)) : null);
      return body;
    });
  }

  private static String id(Choice choice) {
    return choice.connector().manifest().connectorId();
  }

  private static ConnectorRef connection(Choice choice) {
    return ConnectorRef.of(id(choice));
  }

  private Future<ObjectNode> entry(Choice choice) {
    String id = id(choice);
    return controller.store().activeRuns().findByInstance(id).compose(active -> controller
        .store()
        .history()
        .stats(id)
        .compose(stats -> schedules.find(id).map(schedule -> {
          ObjectNode body = entry(choice.connector(), active, stats);
          body.set("active_manifest", choice.active().map(ManifestRoutes::of).orElse(null));
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
    body.put("fingerprint", manifest.fingerprint());
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

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
