package dev.runlane.connector.store.memory;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.manifest.ActiveManifest;
import dev.runlane.connector.store.manifest.ActiveManifests;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Supplier;

/** Manifests in use, in memory. */
final class MemoryManifests implements ActiveManifests {
  private final Map<String, ActiveManifest> byConnector = new ConcurrentSkipListMap<>();

  @Override
  public Future<Void> activate(ActiveManifest manifest) {
    return AdapterCall.of("activate", () -> {
      StoreChecks.requireManifest(manifest);
      byConnector.put(manifest.connectorId(), manifest);
      return Future.succeededFuture();
    });
  }

  @Override
  public Future<Boolean> deactivate(String connectorId) {
    return checked("deactivate", connectorId, () -> byConnector.remove(connectorId) != null);
  }

  @Override
  public Future<Optional<ActiveManifest>> find(String connectorId) {
    return checked("find", connectorId, () -> Optional.ofNullable(byConnector.get(connectorId)));
  }

  @Override
  public Future<List<ActiveManifest>> list() {
    return Future.succeededFuture(List.copyOf(byConnector.values()));
  }

  private static <T> Future<T> checked(String method, String connectorId, Supplier<T> work) {
    return AdapterCall.of(method, () -> {
      StoreChecks.requireConnectorId(connectorId);
      return Future.succeededFuture(work.get());
    });
  }
}
