package dev.runlane.connector.controller.registry;

import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.store.manifest.ActiveManifest;
import dev.runlane.connector.store.manifest.ActiveManifests;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which manifest of each connector its owner has in use, and so which of two connectors of one id is run. Kept in the
 * store: every process chooses alike, and a run that was accepted keeps the choice it was accepted under.
 */
public final class ManifestChoices {
  private final ConnectorRegistries registries;
  private final ActiveManifests manifests;
  private final Clock clock;

  /** Chooses among what the registries know, and keeps the choice in {@code manifests}. */
  public ManifestChoices(ConnectorRegistries registries, ActiveManifests manifests, Clock clock) {
    this.registries = registries;
    this.manifests = manifests;
    this.clock = clock;
  }

  /** One of the two registries. */
  public enum Registry {
    /** The reference connectors. */
    FIXTURES,
    /** The real ones. */
    POLYFILLS
  }

  /**
   * Puts a registry's manifest of a connector to use; empty when the registry has no such connector.
   *
   * @return what is in use now
   */
  public Future<Optional<ActiveManifest>> activate(String connectorId, Registry registry) {
    ConnectorRegistry chosen =
        registry == Registry.FIXTURES ? registries.fixtures() : registries.polyfills();
    Optional<ConnectorFolder> connector = chosen.find(connectorId);
    return connector.isEmpty()
        ? Future.succeededFuture(Optional.empty())
        : activate(connectorId, connector.get().manifest()).map(Optional::of);
  }

  /**
   * Puts a manifest to use, be it one of neither registry. Fails with {@code ValidationFailed} for another
   * connector's.
   */
  public Future<ActiveManifest> activate(String connectorId, ConnectorManifest manifest) {
    if (!manifest.connectorId().equals(connectorId)) {
      return Future.failedFuture(RunlaneException.validationFailed(
          "the manifest is of another connector than %s", connectorId));
    }
    ActiveManifest active =
        new ActiveManifest(connectorId, manifest.version(), manifest.fingerprint(), clock.now());
    return manifests.activate(active).map(active);
  }

  /** Puts the connector's manifest out of use: its polyfill is preferred again. Whether there was one. */
  public Future<Boolean> deactivate(String connectorId) {
    return manifests.deactivate(connectorId);
  }

  /** What is in use of a connector. */
  public Future<Optional<ActiveManifest>> find(String connectorId) {
    return manifests.find(connectorId);
  }

  /** The connector as it would be run now, else as it is described. */
  public Future<Optional<ConnectorFolder>> describe(String connectorId) {
    return registries.describe(connectorId).isEmpty()
        ? Future.succeededFuture(Optional.empty())
        : fingerprint(connectorId)
            .map(fingerprint -> registries.describe(connectorId, fingerprint));
  }

  /** Every connector as it would be run now, by id, with its manifest in use. */
  public Future<List<Choice>> all() {
    return manifests.list().map(list -> {
      Map<String, ActiveManifest> active = new HashMap<>();
      Map<String, String> fingerprints = new HashMap<>();
      list.forEach(manifest -> {
        active.put(manifest.connectorId(), manifest);
        fingerprints.put(manifest.connectorId(), manifest.fingerprint());
      });
      return registries.all(fingerprints).stream()
          .map(connector -> new Choice(
              connector, Optional.ofNullable(active.get(connector.manifest().connectorId()))))
          .toList();
    });
  }

  /** The fingerprint of the manifest in use. */
  public Future<Optional<String>> fingerprint(String connectorId) {
    return manifests.find(connectorId).map(found -> found.map(ActiveManifest::fingerprint));
  }

  /**
   * A connector and what is in use of it.
   *
   * @param connector the one that would be run, else the one that is described
   * @param active the manifest in use, which may be another than the connector's
   */
  public record Choice(ConnectorFolder connector, Optional<ActiveManifest> active) {}
}
