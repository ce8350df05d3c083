package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instant;
import static dev.runlane.connector.store.pg.PgValues.utc;

import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.manifest.ActiveManifest;
import dev.runlane.connector.store.manifest.ActiveManifests;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Manifests in use, as rows. */
final class PgManifests implements ActiveManifests {
  private static final SqlStatement<PgSession.Given<ActiveManifest>> ACTIVATE = PgSession.statement(
      "activate_manifest",
      new Parameters<ActiveManifest>()
          .value("connector_id", ActiveManifest::connectorId)
          .value("version", ActiveManifest::version)
          .value("fingerprint", ActiveManifest::fingerprint)
          .value("activated_at", manifest -> utc(manifest.activatedAt())));
  private static final Parameters<String> OF_CONNECTOR =
      new Parameters<String>().value("connector_id", id -> id);
  private static final SqlStatement<PgSession.Given<String>> DEACTIVATE =
      PgSession.statement("deactivate_manifest", OF_CONNECTOR);
  private static final SqlStatement<PgSession.Given<String>> FIND =
      PgSession.statement("active_manifest", OF_CONNECTOR);
  private static final SqlStatement<PgSession.Given<@Nullable Void>> LIST =
      PgSession.statement("active_manifests");

  static final List<SqlStatement<?>> STATEMENTS = List.of(ACTIVATE, DEACTIVATE, FIND, LIST);

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
            session -> session.update(ACTIVATE, manifest))
        .mapEmpty();
  }

  @Override
  public Future<Boolean> deactivate(String connectorId) {
    return calls.statement(
        "deactivate",
        () -> StoreChecks.requireConnectorId(connectorId),
        session -> session.update(DEACTIVATE, connectorId).map(deleted -> deleted == 1));
  }

  @Override
  public Future<Optional<ActiveManifest>> find(String connectorId) {
    return calls.statement(
        "find",
        () -> StoreChecks.requireConnectorId(connectorId),
        session -> session.first(FIND, connectorId, PgManifests::read));
  }

  @Override
  public Future<List<ActiveManifest>> list() {
    return calls.statement("list", () -> {}, session -> session.list(LIST, PgManifests::read));
  }

  private static ActiveManifest read(Row row) {
    return new ActiveManifest(
        row.getString("connector_id"),
        row.getString("version"),
        row.getString("fingerprint"),
        instant(row, "activated_at"));
  }
}
