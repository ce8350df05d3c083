package dev.runlane.postgres.schema;

import dev.runlane.postgres.PgTuning;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import org.jspecify.annotations.Nullable;

/**
 * What a server and a database are like, looked at once when a process starts: else one command after the other would
 * fail.
 *
 * @param version the server's, such as 170011
 * @param isolation that of the role's transactions, where nothing else is said
 * @param replicationRole whether triggers fire in the role's sessions
 * @param role the role, as SQL has it
 */
record DatabaseSettings(
    int version,
    String database,
    String encoding,
    String isolation,
    String replicationRole,
    String role) {
  static final SqlStatement<@Nullable Void> LOOK = SqlStatement.plain("database_settings");

  private static final int OLDEST = 130_000;
  private static final int MAJOR = 10_000;
  private static final String ENCODING = "UTF8";
  private static final String WITHOUT_TRIGGERS = "replica";

  /** Fails with {@code ConfigurationInvalid} for what is not as {@link #require} says. */
  static Future<Void> check(BoundStatements statements, SqlConnection connection) {
    return connection.query(statements.get(LOOK).sql()).execute().map(rows -> {
      Row row = rows.iterator().next();
      new DatabaseSettings(
              row.getInteger("version"),
              row.getString("database"),
              row.getString("encoding"),
              row.getString("isolation"),
              row.getString("replication_role"),
              row.getString("role"))
          .require();
      return null;
    });
  }

  /**
   * Throws {@code ConfigurationInvalid} for a server before PostgreSQL 13, for a database that cannot hold every text,
   * where transactions of this role, through a pooler that lets nothing be set, have another isolation, and where no
   * trigger fires in its sessions.
   */
  void require() {
    if (version < OLDEST) {
      throw RunlaneException.configurationInvalid(
          "the server is PostgreSQL %d, but must be %d or newer", version / MAJOR, OLDEST / MAJOR);
    }
    if (!encoding.equals(ENCODING)) {
      throw RunlaneException.configurationInvalid(
          "database %s has the encoding %s, in which not every text can be stored: it must be made with ENCODING '%s'",
          database, encoding, ENCODING);
    }
    if (!isolation.equals(PgTuning.ISOLATION)) {
      throw RunlaneException.configurationInvalid(
          "transactions of role %s are %s by default, but must be %s: ALTER ROLE %s SET default_transaction_isolation = '%s'",
          role, isolation, PgTuning.ISOLATION, role, PgTuning.ISOLATION);
    }
    if (replicationRole.equals(WITHOUT_TRIGGERS)) {
      throw RunlaneException.configurationInvalid(
          "sessions of role %s have session_replication_role = %s, so that the schema's triggers do not fire: ALTER ROLE %s"
              + " SET session_replication_role = 'origin'",
          role, replicationRole, role);
    }
  }
}
