package dev.runlane.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.controller.ConnectorController;
import dev.runlane.connector.controller.registry.ManifestChoices;
import dev.runlane.connector.controller.registry.ManifestChoices.Registry;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.store.manifest.ActiveManifest;
import io.vertx.core.Future;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.Set;

/** Routes about the manifest of a connector that is in use. */
final class ManifestRoutes {
  private static final String REGISTRY = "registry";
  private static final String MANIFEST = "manifest";
  private static final Map<String, Registry> REGISTRIES =
      Map.of("fixtures", Registry.FIXTURES, "polyfills", Registry.POLYFILLS);

  private final ConnectorController controller;
  private final ManifestChoices manifests;

  ManifestRoutes(ConnectorController controller) {
    this.controller = controller;
    manifests = controller.manifests();
  }

  void mount(Router router) {
    String path = "/connectors/:connector_id/manifest";
    router.get(path).handler(this::show);
    router.put(path).handler(this::activate);
    router.delete(path).handler(this::deactivate);
  }

  private void show(RoutingContext request) {
    HttpAnswers.send(
        request,
        200,
        manifests.find(connectorId(request)).map(found -> of(found.orElseThrow(this::unused))));
  }

  /** Takes the name of a registry, or a manifest. */
  private void activate(RoutingContext request) {
    String connectorId = connectorId(request);
    ObjectNode body = HttpBodies.object(request, Set.of(REGISTRY, MANIFEST));
    if (body.size() != 1) {
      throw HttpBodies.refusal(REGISTRY, "the body must have either registry or manifest");
    }
    HttpAnswers.send(request, 200, activate(connectorId, body).map(ManifestRoutes::of));
  }

  private Future<ActiveManifest> activate(String connectorId, ObjectNode body) {
    JsonNode manifest = body.path(MANIFEST);
    if (!manifest.isMissingNode()) {
      return manifests.activate(connectorId, ConnectorManifest.parse(manifest.toString()));
    }
    Registry registry = REGISTRIES.get(HttpBodies.text(body, REGISTRY));
    if (registry == null) {
      throw HttpBodies.refusal(REGISTRY, "registry must be fixtures or polyfills");
    }
    return manifests
        .activate(connectorId, registry)
        .map(active -> active.orElseThrow(() -> new HttpRefusal(
            HttpError.notFound("connector_id", "the registry has no connector with this id"))));
  }

  private void deactivate(RoutingContext request) {
    HttpAnswers.deleted(request, manifests.deactivate(connectorId(request)), unused());
  }

  static ObjectNode of(ActiveManifest manifest) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.put("object", "active_manifest");
    body.put("connector_id", manifest.connectorId());
    body.put("version", manifest.version());
    body.put("fingerprint", manifest.fingerprint());
    body.put("activated_at", manifest.activatedAt().toString());
    return body;
  }

  private HttpRefusal unused() {
    return new HttpRefusal(
        HttpError.notFound("connector_id", "no manifest of this connector is in use"));
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
