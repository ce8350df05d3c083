package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instantOrNull;
import static dev.runlane.connector.store.pg.PgValues.utc;
import static dev.runlane.connector.store.pg.PgValues.utcOrNull;

import dev.runlane.connector.store.Grant;
import dev.runlane.connector.store.GrantAccessMode;
import dev.runlane.connector.store.GrantState;
import dev.runlane.connector.store.Grants;
import dev.runlane.connector.store.StoreChecks;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Optional;

/** Grants in Postgres. */
final class PgGrants implements Grants {
  private final PgCalls calls;

  PgGrants(PgCalls calls) {
    this.calls = calls;
  }

  @Override
  public Future<Void> put(Grant grant, Instant now) {
    return calls
        .statement(
            "put",
            () -> StoreChecks.requireGrant(grant),
            session -> session.update(
                "put_grant",
                Tuple.of(session.env(), grant.grantId(), grant.instanceId())
                    .addString(grant.accessMode().value())
                    .addString(grant.state().value())
                    .addOffsetDateTime(utcOrNull(grant.expiresAt()))
                    .addOffsetDateTime(utc(now))))
        .mapEmpty();
  }

  @Override
  public Future<Optional<Grant>> find(String grantId) {
    return calls.statement(
        "find",
        () -> StoreChecks.requireGrantId(grantId),
        session -> session.first("grant", Tuple.of(session.env(), grantId), PgGrants::read));
  }

  static Grant read(Row row) {
    return new Grant(
        row.getString("grant_id"),
        row.getString("connector_instance_id"),
        GrantAccessMode.ofValue(row.getString("access_mode")),
        GrantState.ofValue(row.getString("state")),
        instantOrNull(row, "expires_at"));
  }

  @Override
  public Future<Boolean> revoke(String grantId, Instant now) {
    return calls.statement("revoke", () -> StoreChecks.requireGrantId(grantId), session -> session
        .update("revoke_grant", Tuple.of(session.env(), grantId, utc(now)))
        .map(revoked -> revoked == 1));
  }
}
