package dev.runlane.connector.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.controller.ConnectorController;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.Grants;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;

/** Routes about the grants of a connection: shown, and taken back. */
final class GrantRoutes {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final ConnectorController controller;
  private final Clock clock;

  GrantRoutes(ConnectorController controller, Clock clock) {
    this.controller = controller;
    this.clock = clock;
  }

  void mount(Router router) {
    router.get("/connectors/:connector_id/grants").handler(this::list);
    router.post("/connectors/:connector_id/grants/:grant_id/revoke").handler(this::revoke);
  }

  private void list(RoutingContext request) {
    HttpAnswers.send(
        request,
        200,
        grants().ofConnection(connectorId(request), Grants.MOST_LISTED).map(found -> {
          ObjectNode body = NODES.objectNode();
          body.put("object", "list");
          ArrayNode data = body.putArray("data");
          found.forEach(grant -> data.add(of(grant, clock.now())));
          return body;
        }));
  }

  /** What runs under it still send is refused from now on. One that was taken back stays so. */
  private void revoke(RoutingContext request) {
    String connectorId = connectorId(request);
    String grantId = request.pathParam("grant_id");
    Future<ObjectNode> revoked = grants()
        .find(grantId)
        .map(found -> found
            .filter(grant -> grant.instanceId().equals(connectorId))
            .orElseThrow(GrantRoutes::unknown))
        .compose(mine -> grants().revoke(grantId, clock.now()))
        .compose(was -> grants().find(grantId))
        .map(after -> of(after.orElseThrow(GrantRoutes::unknown), clock.now()));
    HttpAnswers.send(request, 200, revoked);
  }

  private Grants grants() {
    return controller.store().grants();
  }

  private static ObjectNode of(Grant grant, Instant now) {
    ObjectNode body = NODES.objectNode();
    body.put("object", "grant");
    body.put("grant_id", grant.grantId());
    body.put("connector_instance_id", grant.instanceId());
    body.put("access_mode", grant.accessMode().value());
    body.put("state", grant.state().value());
    Instant expiresAt = grant.expiresAt();
    body.put("expires_at", expiresAt == null ? null : expiresAt.toString());
    body.put("refused_with", grant.refusal(grant.instanceId(), now).orElse(null));
    return body;
  }

  private static HttpRefusal unknown() {
    return new HttpRefusal(HttpError.notFound("grant_id", "the connection has no such grant"));
  }

  private String connectorId(RoutingContext request) {
    String connectorId = request.pathParam("connector_id");
    if (controller.registries().describe(connectorId).isEmpty()) {
      throw new HttpRefusal(
          HttpError.notFound("connector_id", "there is no connector with this id"));
    }
    return connectorId;
  }
}
