package dev.runlane.cli.doctor;

import dev.runlane.postgres.statement.SqlStatement;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * One thing that is looked at.
 *
 * @param name never changes
 * @param look what it finds; empty when all is well
 */
record Check(String name, Look look) {
  /** Looks once, and changes nothing. */
  interface Look {
    Future<List<Finding>> at(Examination examination);
  }

  /** One statement whose every row is a finding of the same kind. */
  static Check ofRows(
      String name,
      SqlStatement<Asked> statement,
      Finding.Severity severity,
      BiFunction<Row, Examination, String> text,
      String meaning,
      BiFunction<Row, Examination, String> mend) {
    return new Check(
        name,
        examination -> examination.rows(
            statement,
            row -> new Finding(
                name,
                severity,
                text.apply(row, examination),
                meaning,
                mend.apply(row, examination))));
  }

  /** One statement whose only row tells all. */
  static Check ofRow(
      String name, SqlStatement<Asked> statement, Function<Row, List<Finding>> findings) {
    return new Check(name, examination -> examination.row(statement).map(findings));
  }
}
