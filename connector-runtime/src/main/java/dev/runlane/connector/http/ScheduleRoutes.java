package dev.runlane.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.controller.registry.ConnectorRegistries;
import dev.runlane.connector.schedule.ScheduleChange;
import dev.runlane.connector.schedule.ScheduleService;
import dev.runlane.connector.schedule.ScheduleView;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.schedule.PutSchedule;
import dev.runlane.run.ContractDefaults;
import dev.runlane.timing.Clock;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Routes about schedules: made, shown, paused, resumed, deleted. */
final class ScheduleRoutes {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String CONNECTOR_ID = "connector_id";
  private static final long MOST_SECONDS = ContractDefaults.LONGEST_DURATION.toSeconds();

  private final ScheduleService scheduleService;
  private final ConnectorRegistries registries;
  private final OwnerChecks owners;
  private final Clock clock;

  ScheduleRoutes(
      ScheduleService scheduleService,
      ConnectorRegistries registries,
      OwnerChecks owners,
      Clock clock) {
    this.scheduleService = scheduleService;
    this.registries = registries;
    this.owners = owners;
    this.clock = clock;
  }

  void mount(Router router) {
    router.get("/schedules").handler(this::list);
    router.get("/connectors/:connector_id/schedule").handler(this::show);
    for (String owner : List.of("/connectors", "/connections")) {
      String path = owner + "/:connector_id/schedule";
      router.put(path).handler(this::put);
      router.post(path + "/pause").handler(this::pause);
      router.post(path + "/resume").handler(this::resume);
      router.delete(path).handler(this::delete);
    }
  }

  private void list(RoutingContext request) {
    HttpAnswers.send(
        request,
        200,
        scheduleService
            .list()
            .compose(all -> owners.only(request, all, view -> view.schedule().connector()))
            .map(views -> {
              ObjectNode body = NODES.objectNode();
              body.put("object", "list");
              ArrayNode data = body.putArray("data");
              views.forEach(view -> data.add(ScheduleJson.of(view)));
              return body;
            }));
  }

  private void show(RoutingContext request) {
    HttpAnswers.send(
        request,
        200,
        scheduleService
            .find(request.pathParam(CONNECTOR_ID))
            .map(view -> ScheduleJson.of(view.orElseThrow(ScheduleRoutes::notFound))));
  }

  private void put(RoutingContext request) {
    String connectorId = request.pathParam(CONNECTOR_ID);
    if (registries.describe(connectorId).isEmpty()) {
      throw notFound();
    }
    ObjectNode body =
        HttpBodies.object(request, Set.of("interval_seconds", "jitter_seconds", "enabled"));
    PutSchedule command = new PutSchedule(
            ConnectorRef.of(connectorId),
            seconds(body, "interval_seconds", 1, -1),
            seconds(body, "jitter_seconds", 0, 0),
            enabled(body),
            null,
            clock.now())
        .keepingGrant(); // the body says nothing of it
    HttpAnswers.send(request, 200, scheduleService.put(command).map(change -> {
      ObjectNode answer = changed(change);
      JsonNode warning = answer.path("minimum_interval_warning");
      if (warning.isTextual()) {
        answer.set("policy_warning", warning);
      }
      return answer;
    }));
  }

  private void pause(RoutingContext request) {
    HttpAnswers.send(
        request,
        200,
        scheduleService.pause(request.pathParam(CONNECTOR_ID)).map(ScheduleRoutes::changed));
  }

  private void resume(RoutingContext request) {
    HttpAnswers.send(
        request,
        200,
        scheduleService.resume(request.pathParam(CONNECTOR_ID)).map(ScheduleRoutes::changed));
  }

  private void delete(RoutingContext request) {
    HttpAnswers.deleted(
        request, scheduleService.delete(request.pathParam(CONNECTOR_ID)), notFound());
  }

  private static ObjectNode changed(ScheduleChange change) {
    if (change instanceof ScheduleChange.AgainstPolicy against) {
      throw new HttpRefusal(HttpError.invalid("enabled", against.reason()));
    }
    if (!(change instanceof ScheduleChange.Changed changed)) {
      throw notFound();
    }
    ScheduleView view = changed.view();
    return ScheduleJson.of(view);
  }

  /** A negative default means that the member is required. */
  private static Duration seconds(ObjectNode body, String member, long least, long otherwise) {
    JsonNode value = body.path(member);
    if (value.isMissingNode() && otherwise >= 0) {
      return Duration.ofSeconds(otherwise);
    }
    if (!value.isIntegralNumber()
        || !value.canConvertToLong()
        || value.longValue() < least
        || value.longValue() > MOST_SECONDS) {
      throw HttpBodies.refusal(
          member, member + " must be a whole number from " + least + " to " + MOST_SECONDS);
    }
    return Duration.ofSeconds(value.longValue());
  }

  private static boolean enabled(ObjectNode body) {
    JsonNode value = body.path("enabled");
    if (!value.isMissingNode() && !value.isBoolean()) {
      throw HttpBodies.refusal("enabled", "enabled must be true or false");
    }
    return value.asBoolean(true);
  }

  private static HttpRefusal notFound() {
    return new HttpRefusal(
        HttpError.notFound(CONNECTOR_ID, "there is no such connector, or it has no schedule"));
  }
}
