package dev.runlane.cli.option;

import dev.runlane.connector.process.ChildCommand;
import dev.runlane.connector.process.ChildEnvironment;
import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.protocol.start.CollectionMode;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.run.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/** The settings, read and checked: what is to be run. */
public record RunPlan(
    RunSettings settings,
    ConnectorManifest manifest,
    StartScope scope,
    ChildCommand command,
    Redaction redaction) {

  /**
   * Reads the settings. Fails with a {@link dev.runlane.run.RunlaneException} for a manifest, a scope
   * or a command that cannot be used.
   *
   * @param host the variables of this process
   */
  public static RunPlan of(RunSettings settings, Map<String, String> host) {
    ConnectorManifest manifest = ConnectorManifest.parse(settings.manifest());
    Json asked = settings.scope();
    StartScope scope = asked == null
        ? StartScope.derived(manifest, settings.since())
        : StartScope.requested(manifest, asked);
    Map<String, String> secrets = secrets(settings, host);
    Redaction redaction = new Redaction();
    redaction.add(secrets.values());
    ChildCommand command = new ChildCommand(
        settings.program().command(),
        settings.program().directory(),
        ChildEnvironment.from(host, ChildEnvironment.Proxies.HIDDEN)
            .declared(settings.program().environment())
            .secrets(secrets)
            .toMap());
    return new RunPlan(settings, manifest, scope, command, redaction);
  }

  public ConnectorRef connector() {
    return ConnectorRef.of(manifest.connectorId());
  }

  public ConnectorRunRequest request(ActiveRun active) {
    return new ConnectorRunRequest(
        active,
        manifest,
        scope,
        settings.state().fullRefresh() ? CollectionMode.FULL_REFRESH : CollectionMode.INCREMENTAL,
        settings.state().kept(),
        command,
        redaction,
        settings.interactive(),
        null,
        false);
  }

  private static Map<String, String> secrets(RunSettings settings, Map<String, String> host) {
    Map<String, String> secrets = new LinkedHashMap<>();
    for (String name : settings.program().secrets()) {
      String value = host.get(name);
      if (value == null) {
        throw new UsageException("--secret: there is no variable " + name);
      }
      secrets.put(name, value);
    }
    return secrets;
  }
}
