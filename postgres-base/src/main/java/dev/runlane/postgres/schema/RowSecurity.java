package dev.runlane.postgres.schema;

import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.Placeholders;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.postgres.statement.SqlStatements;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import java.util.List;

/**
 * <a href="https://www.postgresql.org/docs/current/ddl-rowsecurity.html">Row level security</a> of our tables, which
 * some platforms turn on for each table that is made. A row that it hides counts as gone: nothing would be found to be
 * done, and nothing would fail.
 *
 * @param schema where the tables are
 * @param tables their names
 */
public record RowSecurity(SchemaName schema, List<String> tables) {
  private static final SqlStatement<RowSecurity> HIDDEN_TABLE = SqlStatement.of(
      "hidden_table",
      new Parameters<RowSecurity>()
          .value("schema_name", looked -> looked.schema.value())
          .texts("tables", looked -> looked.tables));

  /** Takes a copy of the names. */
  public RowSecurity {
    tables = List.copyOf(tables);
  }

  /**
   * Looks once, and changes nothing. Fails with {@code ConfigurationInvalid} that names a table of which the role of
   * the connection may not see, or may not store, every row; tables that are not there are passed over.
   */
  public Future<Void> requireAllRows(SqlClient client) {
    return SqlStatements.load(RowSecurity.class::getResourceAsStream, schema, "sql/rows.sql")
        .bind(Placeholders.NUMBERED, List.of(HIDDEN_TABLE))
        .get(HIDDEN_TABLE)
        .execute(client, this)
        .map(rows -> {
          String hidden = rows.iterator().next().getString("hidden_table");
          if (hidden != null) {
            throw RunlaneException.configurationInvalid(
                "row level security may hide rows of table %1$s in schema %2$s from the role of this process, and what is"
                    + " not seen counts as gone: ALTER TABLE %3$s.\"%1$s\" DISABLE ROW LEVEL SECURITY, or give the role"
                    + " BYPASSRLS, or CREATE POLICY runlane ON %3$s.\"%1$s\" USING (true)",
                hidden, schema.value(), schema.sql());
          }
          return null;
        });
  }
}
