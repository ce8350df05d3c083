package dev.runlane.steps.sql.postgres;

import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.StatementFailures;
import dev.runlane.run.RunlaneException;
import io.vertx.pgclient.PgException;
import java.util.Set;

/**
 * Failures of Postgres as this transport reports them: as everywhere, but that a value which the tables cannot hold is
 * the step's own fault, and not a mistake of ours that may be gone tomorrow.
 */
final class PgStepFailures implements StatementFailures {
  /**
   * Too long for its column, as somebody else's may be; a character that the database's encoding does not have, or
   * that no encoding has.
   */
  private static final Set<String> UNSUITABLE = Set.of("22001", "22P05", "22021");

  @Override
  public RunlaneException of(String operation, Throwable failure) {
    if (failure instanceof PgException pg && UNSUITABLE.contains(pg.getSqlState())) {
      return RunlaneException.validationFailed(
              "%s: the tables cannot hold a value (SQLSTATE %s)", operation, pg.getSqlState())
          .causedBy(failure);
    }
    return PgFailures.of(operation, failure);
  }

  @Override
  public boolean mayBeSentAgain(Throwable failure) {
    return PgFailures.mayBeSentAgain(failure);
  }

  @Override
  public boolean isRolledBack(Throwable failure) {
    return PgFailures.isRolledBack(failure);
  }

  @Override
  public boolean endsConnection(Throwable failure) {
    return PgFailures.OF_POSTGRES.endsConnection(failure);
  }

  @Override
  public boolean isReadOnly(Throwable failure) {
    return PgFailures.OF_POSTGRES.isReadOnly(failure);
  }
}
