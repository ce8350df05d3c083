package dev.runlane.steps.sql.mysql;

import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.StatementFailures;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.mysqlclient.MySQLException;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * Failures of the MySQL client, by number, never by message text. The numbers are those of <a
 * href="https://mariadb.com/kb/en/mariadb-error-codes/">MariaDB</a> and <a
 * href="https://dev.mysql.com/doc/mysql-errors/8.0/en/server-error-reference.html">MySQL</a>.
 */
final class MysqlFailures implements StatementFailures {
  private static final int DUPLICATE_ENTRY = 1062;
  private static final int DUPLICATE_KEY_NAME = 1061;

  /**
   * Lock wait timeout, deadlock, record changed since it was read, statement to be prepared again or
   * unknown after a reconnect, statement interrupted or out of its time, commit refused by the group of replicas.
   */
  private static final Set<Integer> AGAIN =
      Set.of(1205, 1213, 1020, 1615, 1243, 1317, 1969, 3024, 3100, 3101);

  /** The same by class: transaction rollback. */
  private static final String AGAIN_STATES = "40";

  /**
   * Out of memory, disk, connections, locks, transactions or prepared statements; a file that cannot be written, a
   * commit that failed; going down; read-only, as a server is during a failover; connection killed or lost; nobody
   * let in: access denied, no such database, host blocked or not allowed.
   */
  private static final Set<Integer> OUTAGE = Set.of(
      1021, 1026, 1030, 1037, 1038, 1040, 1041, 1045, 1049, 1053, 1077, 1078, 1079, 1114, 1129,
      1130, 1152, 1158, 1159, 1160, 1161, 1180, 1203, 1206, 1226, 1290, 1461, 1637, 1792, 1836,
      1927, 3169, 4031);

  /** The same by class: connections, and who may have one. */
  private static final List<String> OUTAGE_STATES = List.of("08", "28");

  /** The server takes no writes, by its settings or in this transaction. */
  private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);

  /**
   * The connection is of no more use: the server is going down, or has ended it for its age, for an administrator or
   * for a client's silence, or a pooler gave out another session, which does not know our statements.
   */
  private static final Set<Integer> LOST = Set.of(1053, 1243, 1927, 3169, 4031);

  /** A value with characters that the column does not have, or too long for it. */
  private static final Set<Integer> UNSUITABLE = Set.of(1366, 1406, 3988);

  /** A value missing, a key of another table, a check. */
  private static final Set<Integer> CONTRACT = Set.of(1048, 1364, 1451, 1452, 3819, 4025);

  @Override
  public RunlaneException of(String operation, Throwable failure) {
    if (failure instanceof RunlaneException ours) {
      return ours;
    }
    if (failure instanceof MySQLException mysql) {
      return ofNumber(operation, mysql);
    }
    if (PgFailures.isConnectionFailure(failure)) {
      return RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE,
          failure,
          "%s: %s",
          operation,
          failure instanceof IOException told && told.getMessage() != null
              ? told.getMessage()
              : "the database cannot be reached or the connection was lost");
    }
    return RunlaneException.of(ErrorCode.INTERNAL_ERROR, "%s failed unexpectedly", operation)
        .causedBy(failure);
  }

  @Override
  public boolean mayBeSentAgain(Throwable failure) {
    return failure instanceof MySQLException mysql
        && (AGAIN.contains(mysql.getErrorCode()) || state(mysql).startsWith(AGAIN_STATES));
  }

  @Override
  public boolean isRolledBack(Throwable failure) {
    return isTooLong(failure) || (failure instanceof MySQLException mysql && !isOutage(mysql));
  }

  /** What {@link MysqlPacket} refuses is one step of many, and nothing was sent for any of them. */
  private static boolean isTooLong(Throwable failure) {
    return failure instanceof RunlaneException ours && ours.code() == ErrorCode.VALIDATION_FAILED;
  }

  /**
   * A primary that has become a replica keeps its connections, as {@code SET GLOBAL read_only} does: every look is
   * answered and every write refused, for as long as such a connection is kept.
   */
  @Override
  public boolean endsConnection(Throwable failure) {
    return isReadOnly(failure)
        || (failure instanceof MySQLException mysql && LOST.contains(mysql.getErrorCode()));
  }

  @Override
  public boolean isReadOnly(Throwable failure) {
    return failure instanceof MySQLException mysql && READ_ONLY.contains(mysql.getErrorCode());
  }

  /** Whether a row of this key was there already. */
  boolean isDuplicate(Throwable failure) {
    return failure instanceof MySQLException mysql && mysql.getErrorCode() == DUPLICATE_ENTRY;
  }

  /** Whether there was an index of this name already. */
  boolean isDuplicateIndex(Throwable failure) {
    return failure instanceof MySQLException mysql && mysql.getErrorCode() == DUPLICATE_KEY_NAME;
  }

  private RunlaneException ofNumber(String operation, MySQLException failure) {
    int number = failure.getErrorCode();
    if (mayBeSentAgain(failure) || isOutage(failure)) {
      return RunlaneException.unavailable(
          ErrorCode.STORAGE_UNAVAILABLE,
          failure,
          "%s: the database could not do it now (error %d)",
          operation,
          number);
    }
    if (UNSUITABLE.contains(number)) {
      return RunlaneException.validationFailed(
              "%s: the tables cannot hold a value (error %d)", operation, number)
          .causedBy(failure);
    }
    if (CONTRACT.contains(number)) {
      return RunlaneException.adapterContractViolation(
              "%s broke a constraint (error %d)", operation, number)
          .causedBy(failure);
    }
    return RunlaneException.of(ErrorCode.INTERNAL_ERROR, "%s failed (error %d)", operation, number)
        .causedBy(failure);
  }

  private static boolean isOutage(MySQLException failure) {
    return OUTAGE.contains(failure.getErrorCode())
        || OUTAGE_STATES.stream().anyMatch(state(failure)::startsWith);
  }

  private static String state(MySQLException failure) {
    return failure.getSqlState() == null ? "" : failure.getSqlState();
  }
}
