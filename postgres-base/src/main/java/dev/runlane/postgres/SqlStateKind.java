package dev.runlane.postgres;

import io.vertx.pgclient.PgException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What an answer of Postgres means for the statement and for its connection, by its SQLSTATE alone. What counts as the
 * end of a connection is what HikariCP (08, 57P01 to 57P03), Npgsql (besides, 53 and 58 are transient) and pgx (every
 * FATAL) have learnt, and 25006, which all of them miss: a connection to a primary that became a standby answers every
 * read and no write for as long as it is kept.
 */
enum SqlStateKind {
  /** Others were in the way; nothing is stored, and the same may be sent again. */
  CONTENTION(true, false),
  /**
   * Postgres cannot do it now, or was asked to stop: nothing is stored, and sending it again is the caller's to decide.
   */
  OUTAGE(false, false),
  /** As an outage, and the connection is of no more use. */
  LOST(false, true),
  /** As lost; and whoever this server was, it takes no writes any more. */
  READ_ONLY(false, true),
  /** A constraint was broken. */
  CONSTRAINT(false, false),
  /** The statement is at fault. */
  FAULT(false, false),
  /** The server, or the session, is in a state nobody can build on. */
  BROKEN(false, true);

  private static final Set<String> CONSTRAINTS = Set.of("23502", "23503", "23505", "23514");

  /** RL001 is our own: a creation won one ownership key and lost the other. */
  private static final Map<String, SqlStateKind> STATES = Map.ofEntries(
      Map.entry("0A000", CONTENTION), // a plan that a migration outdated
      Map.entry("55P03", CONTENTION), // lock_not_available
      Map.entry("RL001", CONTENTION),
      Map.entry(
          "54000",
          OUTAGE), // program_limit_exceeded: as the queue of notifications, full for one who is
      // slow
      Map.entry("57014", OUTAGE), // query_canceled: took too long, or an operator stopped it
      Map.entry("25006", READ_ONLY), // read_only_sql_transaction
      Map.entry("25P02", BROKEN), // in_failed_sql_transaction
      Map.entry("25P03", LOST), // idle_in_transaction_session_timeout
      Map.entry("25P04", LOST), // transaction_timeout
      Map.entry("26000", LOST), // a prepared statement that this session does not have (any more)
      Map.entry("42P05", LOST), // or has already: a pooler gave out somebody else's session
      Map.entry("3D000", LOST), // the database does not exist
      Map.entry("40003", LOST)); // statement_completion_unknown

  private static final List<Map.Entry<String, SqlStateKind>> CLASSES = List.of(
      Map.entry("08", LOST), // connection_exception
      Map.entry("28", LOST), // invalid_authorization_specification
      Map.entry("40", CONTENTION), // transaction_rollback
      Map.entry("53", OUTAGE), // insufficient_resources
      Map.entry("57P", LOST), // shutdown, crash, starting up, database dropped, idle session
      Map.entry("57", OUTAGE), // operator_intervention
      Map.entry("58", OUTAGE), // system_error
      Map.entry("XX", BROKEN)); // internal_error, corrupted data

  private final boolean again;
  private final boolean endsConnection;

  SqlStateKind(boolean again, boolean endsConnection) {
    this.again = again;
    this.endsConnection = endsConnection;
  }

  static SqlStateKind of(PgException failure) {
    String state = failure.getSqlState() == null ? "" : failure.getSqlState();
    if (CONSTRAINTS.contains(state)) {
      return PgFailures.isOfRebuild(failure) ? CONTENTION : CONSTRAINT;
    }
    SqlStateKind kind = Stream.concat(
            Stream.ofNullable(STATES.get(state)),
            CLASSES.stream()
                .filter(each -> state.startsWith(each.getKey()))
                .map(Map.Entry::getValue))
        .findFirst()
        .orElse(FAULT);
    return endsSession(failure) && !kind.endsConnection ? LOST : kind;
  }

  /** After FATAL and PANIC the server hangs up, whatever the reason. */
  private static boolean endsSession(PgException failure) {
    String severity =
        failure.getSeverity() == null ? "" : failure.getSeverity().toUpperCase(Locale.ROOT);
    return severity.equals("FATAL") || severity.equals("PANIC");
  }

  boolean mayBeSentAgain() {
    return again;
  }

  boolean endsConnection() {
    return endsConnection;
  }

  boolean isOutage() {
    return this == OUTAGE || this == LOST || this == READ_ONLY;
  }
}
