package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instant;
import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.ActiveManifest;
import dev.runlane.connector.store.ActiveManifests;
import dev.runlane.connector.store.StoreChecks;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Optional;

/** Manifests in use, as rows. */
final class PgManifests implements ActiveManifests {
  private final PgCalls calls;

  PgManifests(PgCalls calls) {
    this.calls = calls;
  }

  @Override
  public Future<Void> activate(ActiveManifest manifest) {
    return calls
        .statement(
            "activate",
            () -> StoreChecks.requireManifest(manifest),
            session -> session.update(
                "activate_manifest",
                Tuple.of(
                    session.env(),
                    manifest.connectorId(),
                    manifest.version(),
                    manifest.fingerprint(),
                    utc(manifest.activatedAt()))))
        .mapEmpty();
  }

  @Override
  public Future<Boolean> deactivate(String connectorId) {
    return calls.statement(
        "deactivate", () -> StoreChecks.requireConnectorId(connectorId), session -> session
            .update("deactivate_manifest", Tuple.of(session.env(), connectorId))
            .map(deleted -> deleted == 1));
  }

  @Override
  public Future<Optional<ActiveManifest>> find(String connectorId) {
    return calls.statement(
        "find",
        () -> StoreChecks.requireConnectorId(connectorId),
        session -> session.first(
            "active_manifest", Tuple.of(session.env(), connectorId), PgManifests::read));
  }

  @Override
  public Future<List<ActiveManifest>> list() {
    return calls.statement(
        "list",
        () -> {},
        session -> session.list("active_manifests", Tuple.of(session.env()), PgManifests::read));
  }

  private static ActiveManifest read(Row row) {
    return new ActiveManifest(
        row.getString("connector_id"),
        row.getString("version"),
        row.getString("fingerprint"),
        instant(row, "activated_at"));
  }
}
