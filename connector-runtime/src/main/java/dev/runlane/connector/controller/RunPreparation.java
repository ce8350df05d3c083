package dev.runlane.connector.controller;

import dev.runlane.connector.controller.registry.ConnectorFolder;
import dev.runlane.connector.controller.registry.ConnectorLaunch;
import dev.runlane.connector.controller.registry.ConnectorRegistries;
import dev.runlane.connector.process.ChildCommand;
import dev.runlane.connector.process.ChildEnvironment;
import dev.runlane.connector.process.ChildUser;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.run.request.BrowserSurface;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.BlockingCalls;
import io.vertx.core.Future;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Puts together what a run is launched with: its connector, scope, environment and secrets. */
final class RunPreparation {
  private final ConnectorRegistries registries;
  private final BlockingCalls blocking;
  private final LaunchSecrets secrets;
  private final Map<String, String> hostEnvironment;
  private final Function<URI, BrowserSurface> surfaces;

  RunPreparation(
      ConnectorControllerParts parts,
      LaunchSecrets secrets,
      Map<String, String> hostEnvironment,
      Function<URI, BrowserSurface> surfaces) {
    this.surfaces = surfaces;
    registries = parts.registries();
    blocking = parts.blocking();
    this.secrets = secrets;
    this.hostEnvironment = hostEnvironment;
  }

  /** Checks a request as far as that is possible before the launch. Throws {@code ValidationFailed}. */
  static void check(ConnectorFolder connector, RunRequest request) {
    scope(connector.manifest(), request.scope(), request.resources());
  }

  /** Fails with what keeps the run from being launched; no message holds a secret. */
  Future<PreparedRun> prepare(ActiveRun run, ConnectorRunPayload payload) {
    ConnectorRef connection = run.run().connector();
    return blocking.run(() -> connector(payload)).compose(connector -> secrets
        .of(
            connection,
            connector.launch().orElseThrow().secrets(),
            () -> requireOwnSecrets(connection))
        .compose(values -> blocking.run(() -> prepared(run, payload, connector, values))));
  }

  /** Whether the run would be launched as its connector was when this process read it. Reads files. */
  Future<MissingConnectors.OnDisk> onDisk(ConnectorRunPayload payload) {
    return blocking.run(() -> found(payload).filter(ConnectorFolder::isChanged).isPresent()
        ? MissingConnectors.OnDisk.CHANGED
        : MissingConnectors.OnDisk.AS_READ);
  }

  private Optional<ConnectorFolder> found(ConnectorRunPayload payload) {
    return payload
        .connector(registries)
        .or(() ->
            registries.resolve(payload.connectorId(), Optional.ofNullable(payload.fingerprint())));
  }

  private ConnectorFolder connector(ConnectorRunPayload payload) {
    ConnectorFolder connector = found(payload)
        .orElseThrow(() -> RunlaneException.of(
            ErrorCode.CONNECTOR_INVALID,
            "connector %s can no longer be run",
            payload.connectorId()));
    if (connector.isChanged()) {
      throw RunlaneException.of(
          ErrorCode.CONNECTOR_INVALID,
          "connector %s was changed on disk since this process read it: restart the process",
          payload.connectorId());
    }
    return connector;
  }

  private PreparedRun prepared(
      ActiveRun run,
      ConnectorRunPayload payload,
      ConnectorFolder connector,
      Map<String, String> secretValues) {
    ConnectorLaunch launch = connector.launch().orElseThrow();
    Redaction redaction = new Redaction();
    redaction.add(secretValues.values());
    ChildUser user = launch.user().map(ChildUser::named).orElse(null);
    String asked = payload.scope();
    String mode = payload.mode();
    StartScope scope = scope(
        connector.manifest(), asked == null ? null : Json.ofChecked(asked), payload.resources());
    return new PreparedRun(
        run,
        connector.manifest(),
        scope,
        mode == null ? null : CollectionMode.ofValue(mode).orElseThrow(),
        state(run, payload, scope),
        new ChildCommand(
            launch.command(),
            connector.workingDirectory(),
            environment(run, launch, user, secretValues),
            user),
        redaction,
        launch.browserSurface().map(surfaces));
  }

  /**
   * The cursors of a connection stand for whole streams: after a part of one was collected they would pass over the
   * rest for ever, and before it they could pass over the part. Those of a grant stand for what the grant gives.
   */
  private static RunRequest.StateUse state(
      ActiveRun run, ConnectorRunPayload payload, StartScope scope) {
    boolean isPart = run.grantId() == null && scope.isPart();
    return payload.keepsState() && !isPart
        ? RunRequest.StateUse.KEPT
        : RunRequest.StateUse.DISABLED;
  }

  /** Which of two the secrets were meant for nobody knows here, so neither is given them. */
  private void requireOwnSecrets(ConnectorRef connector) {
    registries.all(Map.of()).stream()
        .filter(folder ->
            folder.launch().filter(other -> !other.secrets().isEmpty()).isPresent())
        .map(folder -> ConnectorRef.of(folder.manifest().connectorId()))
        .filter(other -> !other.connectorId().equals(connector.connectorId()))
        .filter(other -> secrets.isShared(connector, other))
        .findFirst()
        .ifPresent(other -> {
          throw RunlaneException.configurationInvalid(
              "%s would be given the secrets of %s too: their ids differ in case or punctuation alone",
              connector.instanceId(), other.instanceId());
        });
  }

  private static StartScope scope(
      ConnectorManifest manifest, @Nullable Json asked, Map<String, List<String>> resources) {
    StartScope scope =
        asked == null ? StartScope.derived(manifest, null) : StartScope.requested(manifest, asked);
    return resources.isEmpty() ? scope : scope.withResources(resources);
  }

  private Map<String, String> environment(
      ActiveRun run,
      ConnectorLaunch launch,
      @Nullable ChildUser user,
      Map<String, String> secretValues) {
    ConnectorRef connector = run.run().connector();
    Map<String, String> told = new LinkedHashMap<>();
    told.put("PDPP_CONNECTOR_ID", connector.connectorId());
    told.put("PDPP_CONNECTOR_INSTANCE_ID", connector.instanceId());
    told.put("PDPP_RUN_ID", run.run().runId());
    told.put("PDPP_RUN_TRIGGER_KIND", run.trigger().kind().value());
    told.put("PDPP_RUN_AUTOMATION_MODE", run.trigger().mode().value());
    launch
        .browserSurface()
        .ifPresent(address -> told.put("PDPP_BROWSER_SURFACE_CDP_URL", address.toString()));
    ChildEnvironment inherited = ChildEnvironment.from(hostEnvironment, launch.proxies());
    return (user == null ? inherited : inherited.ofUser(user))
        .declared(launch.environment())
        .run(told)
        .secrets(secretValues)
        .toMap();
  }
}
