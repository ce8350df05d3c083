package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instantOrNull;
import static dev.runlane.connector.store.pg.PgValues.utc;
import static dev.runlane.connector.store.pg.PgValues.utcOrNull;

import dev.runlane.connector.store.StoreChecks;
import dev.runlane.connector.store.grant.Grant;
import dev.runlane.connector.store.grant.GrantAccessMode;
import dev.runlane.connector.store.grant.GrantState;
import dev.runlane.connector.store.grant.Grants;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Grants in Postgres. */
final class PgGrants implements Grants {
  private static final SqlStatement<PgSession.Given<Stored>> PUT = PgSession.statement(
      "put_grant",
      new Parameters<Stored>()
          .value("grant_id", stored -> stored.grant().grantId())
          .value("instance_id", stored -> stored.grant().instanceId())
          .value("access_mode", stored -> stored.grant().accessMode().value())
          .value("state", stored -> stored.grant().state().value())
          .value("expires_at", stored -> utcOrNull(stored.grant().expiresAt()))
          .value("now", stored -> utc(stored.now())));
  private static final SqlStatement<PgSession.Given<String>> FIND =
      PgSession.statement("grant", new Parameters<String>().value("grant_id", id -> id));
  private static final SqlStatement<PgSession.Given<Revoked>> REVOKE = PgSession.statement(
      "revoke_grant",
      new Parameters<Revoked>()
          .value("grant_id", Revoked::grantId)
          .value("now", revoked -> utc(revoked.now())));

  private static final SqlStatement<PgSession.Given<Listed>> OF_CONNECTION = PgSession.statement(
      "grants_of_connection",
      new Parameters<Listed>()
          .value("instance_id", Listed::instanceId)
          .value("limit", Listed::limit));

  static final List<SqlStatement<?>> STATEMENTS = List.of(PUT, FIND, REVOKE, OF_CONNECTION);

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
            session -> session.update(PUT, new Stored(grant, now)))
        .mapEmpty();
  }

  @Override
  public Future<Optional<Grant>> find(String grantId) {
    return calls.statement(
        "find",
        () -> StoreChecks.requireGrantId(grantId),
        session -> session.first(FIND, grantId, PgGrants::read));
  }

  @Override
  public Future<List<Grant>> ofConnection(String instanceId, int limit) {
    return calls.statement(
        "ofConnection",
        () -> {
          StoreChecks.requireInstance(instanceId);
          StoreChecks.requireLimit(limit, MOST_LISTED);
        },
        session -> session.list(OF_CONNECTION, new Listed(instanceId, limit), PgGrants::read));
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
        .update(REVOKE, new Revoked(grantId, now))
        .map(revoked -> revoked == 1));
  }

  private record Stored(Grant grant, Instant now) {}

  private record Listed(String instanceId, int limit) {}

  private record Revoked(String grantId, Instant now) {}
}
