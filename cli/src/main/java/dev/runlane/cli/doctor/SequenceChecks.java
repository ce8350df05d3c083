package dev.runlane.cli.doctor;

import static dev.runlane.cli.doctor.Finding.Severity.ERROR;

import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks whether sequences are behind the rows that have their numbers, of runs and of what else the schema has. */
final class SequenceChecks {
  private static final SqlStatement<@Nullable Void> TABLES = SqlStatement.plain("sequence_tables");
  private static final SqlStatement<Asked> OF_RUNS = of("sequences_of_runs");
  private static final SqlStatement<Asked> OF_JOBS = of("sequences_of_jobs");
  private static final SqlStatement<Asked> OF_CONNECTORS = of("sequences_of_connectors");

  static final List<SqlStatement<?>> STATEMENTS = List.of(TABLES, OF_RUNS, OF_JOBS, OF_CONNECTORS);

  static final List<Check> ALL = List.of(new Check("sequences", SequenceChecks::look));

  private SequenceChecks() {}

  private static SqlStatement<Asked> of(String name) {
    return SqlStatement.of(name, new Parameters<Asked>());
  }

  private static Future<List<Finding>> look(Examination examination) {
    return examination.plainRow(TABLES).compose(tables -> {
      List<SqlStatement<Asked>> present = new ArrayList<>(List.of(OF_RUNS));
      if (tables.getBoolean("has_jobs")) {
        present.add(OF_JOBS);
      }
      if (tables.getBoolean("has_connectors")) {
        present.add(OF_CONNECTORS);
      }
      return behind(present, examination, new ArrayList<>());
    });
  }

  private static Future<List<Finding>> behind(
      List<SqlStatement<Asked>> statements, Examination examination, List<Finding> found) {
    if (statements.isEmpty()) {
      return Future.succeededFuture(found);
    }
    return examination.rows(statements.get(0), SequenceChecks::behind).compose(rows -> {
      found.addAll(rows);
      return behind(statements.subList(1, statements.size()), examination, found);
    });
  }

  private static Finding behind(Row row) {
    String sequence = row.getString("sequence_name");
    return new Finding(
        "sequences",
        ERROR,
        "Sequence " + sequence + " gives numbers that rows have already, up to "
            + row.getLong("highest") + ".",
        "What is stored fails where a number may be there once, and else comes before what was stored earlier: a copy"
            + " of the rows without the sequences leaves it so.",
        "SELECT setval('" + sequence.replace("'", "''") + "', " + row.getString("highest_of")
            + "); -- as the owner");
  }
}
