package dev.runlane.connector.controller.registry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The two registries of a controller. The same connector may be in both: as a fixture, which describes it, and as a
 * polyfill, which is the real thing.
 *
 * @param fixtures reference connectors
 * @param polyfills real ones; they win where nothing else decides
 */
public record ConnectorRegistries(ConnectorRegistry fixtures, ConnectorRegistry polyfills) {
  /**
   * The connector to run; empty when none can.
   *
   * <pre>
   *   active manifest equals the polyfill's       the polyfill
   *   active manifest equals the fixture's        the fixture
   *   equals neither, or none is active           the polyfill, else the fixture
   * </pre>
   *
   * One that has nothing to start is passed over for the other.
   *
   * @param activeFingerprint of the manifest the owner has in use, see {@link
   *     dev.runlane.connector.protocol.manifest.ConnectorManifest#fingerprint}; empty when none is
   */
  public Optional<ConnectorFolder> resolve(String connectorId, Optional<String> activeFingerprint) {
    Optional<ConnectorFolder> polyfill = runnable(polyfills, connectorId);
    Optional<ConnectorFolder> fixture = runnable(fixtures, connectorId);
    boolean isFixture =
        matches(fixture, activeFingerprint) && !matches(polyfill, activeFingerprint);
    return isFixture ? fixture : polyfill.or(() -> fixture);
  }

  /** The connector that can run with exactly this manifest, the polyfill first; empty when there is none. */
  public Optional<ConnectorFolder> find(String connectorId, String fingerprint) {
    Optional<String> wanted = Optional.of(fingerprint);
    return runnable(polyfills, connectorId)
        .filter(polyfill -> matches(Optional.of(polyfill), wanted))
        .or(() -> runnable(fixtures, connectorId)
            .filter(fixture -> matches(Optional.of(fixture), wanted)));
  }

  /**
   * One entry for each connector, by id: the one that would run, else the one that is described.
   *
   * @param activeFingerprints of the manifests in use, by connector
   */
  public List<ConnectorFolder> all(Map<String, String> activeFingerprints) {
    Map<String, ConnectorFolder> byId = new TreeMap<>();
    fixtures.all().forEach(folder -> byId.put(folder.manifest().connectorId(), folder));
    polyfills.all().forEach(folder -> byId.put(folder.manifest().connectorId(), folder));
    byId.replaceAll((id, described) ->
        resolve(id, Optional.ofNullable(activeFingerprints.get(id))).orElse(described));
    return new ArrayList<>(byId.values());
  }

  /** The connector with this id, runnable or not, where no manifest is in use. */
  public Optional<ConnectorFolder> describe(String connectorId) {
    return describe(connectorId, Optional.empty());
  }

  /** The connector with this id: the one that would run, else the one that is described. */
  public Optional<ConnectorFolder> describe(
      String connectorId, Optional<String> activeFingerprint) {
    return resolve(connectorId, activeFingerprint)
        .or(() -> polyfills.find(connectorId))
        .or(() -> fixtures.find(connectorId));
  }

  private static Optional<ConnectorFolder> runnable(
      ConnectorRegistry registry, String connectorId) {
    return registry.find(connectorId).filter(ConnectorFolder::isRunnable);
  }

  private static boolean matches(Optional<ConnectorFolder> folder, Optional<String> fingerprint) {
    return fingerprint.isPresent()
        && folder.map(found -> found.manifest().fingerprint()).equals(fingerprint);
  }
}
