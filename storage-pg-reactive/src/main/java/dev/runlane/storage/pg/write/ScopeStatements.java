package dev.runlane.storage.pg.write;

import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.QueueBindings;
import dev.runlane.timing.Clock;

/**
 * The statements of one environment on one client.
 *
 * @param session the client they run on
 * @param scope the environment
 * @param creations creates runs
 * @param appends appends to runs
 * @param acquisitions claims and reserves named runs
 * @param claims claims due runs
 * @param outbox claims and marks messages
 */
public record ScopeStatements(
    PgSession session,
    PgSession.Scope scope,
    Creations creations,
    Appends appends,
    Acquisitions acquisitions,
    Claims claims,
    Outbox outbox) {
  public static ScopeStatements of(
      PgSession session,
      PgSession.Scope scope,
      QueueBindings bindings,
      CapacityRows capacity,
      Clock clock) {
    Reservations reservations = new Reservations(session);
    return new ScopeStatements(
        session,
        scope,
        new Creations(session, scope, bindings, capacity),
        new Appends(session, scope),
        new Acquisitions(session, scope, bindings, capacity, reservations),
        new Claims(session, scope, bindings, reservations, clock),
        new Outbox(session, scope));
  }
}
