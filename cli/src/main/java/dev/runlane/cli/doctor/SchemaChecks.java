package dev.runlane.cli.doctor;

import static dev.runlane.cli.doctor.Examination.instant;
import static dev.runlane.cli.doctor.Finding.Severity.ERROR;
import static dev.runlane.cli.doctor.Finding.Severity.NOTE;
import static dev.runlane.cli.doctor.Finding.Severity.WARNING;

import dev.runlane.cli.operate.SchemaModule;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.postgres.schema.Migrator;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.pg.PgStorageAdapter;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The checks of the tables, whatever runs they hold. */
final class SchemaChecks {
  private static final List<String> INDEXES = List.of(
      "run_events_occurred",
      "active_runs_reserved",
      "active_runs_cancelling",
      "active_runs_created",
      "terminal_runs_created",
      "terminal_runs_task",
      "terminal_runs_updated",
      "idempotency_owners_run",
      "singleton_owners_run",
      "outbox_messages_run",
      "outbox_messages_next",
      "pending_steps_next",
      "pending_steps_run",
      "schedule_occurrences_fires",
      "active_runs_due_task",
      "active_runs_due_task_bounded",
      "outbox_messages_failed",
      "operator_actions_at",
      "run_tags_value",
      "webhook_deliveries_due",
      "alerts_open",
      "alerts_opened",
      "alerts_resolved",
      "alert_deliveries_due");

  /** What {@code REINDEX CONCURRENTLY} calls the index that it makes, and the one that it drops in the end. */
  private static final Pattern OF_REBUILD = Pattern.compile(".*_cc(?:new|old)\\d*");

  private static final String USELESS = "The statements that need it fail.";

  private static final SqlStatement<Asked> RIGHTS =
      SqlStatement.of("missing_rights", Asked.bySchema());
  private static final SqlStatement<Asked> ADDITIONS = SqlStatement.of(
      "additions", Asked.bySchema().texts("tables", asked -> tables(asked.schema())));
  private static final SqlStatement<Asked> INVALID =
      SqlStatement.of("invalid_indexes", Asked.bySchema());
  private static final SqlStatement<Asked> SUPERSEDED =
      SqlStatement.of("superseded_indexes", Asked.bySchema());
  private static final SqlStatement<Asked> PRESENT = SqlStatement.of("indexes", Asked.bySchema());
  private static final SqlStatement<Asked> DEAD_ROWS =
      SqlStatement.of("dead_rows", Asked.bySchema());

  static final List<SqlStatement<?>> STATEMENTS =
      List.of(RIGHTS, ADDITIONS, INVALID, SUPERSEDED, PRESENT, DEAD_ROWS);

  /** Made where there are no tables yet, too. */
  static final Check MIGRATIONS = new Check("migrations", SchemaChecks::migrations);

  /** What is told of a schema, whatever it holds of the runs. */
  static final Check OBJECTS = new Check("objects", SchemaChecks::objects);

  static final List<Check> ALL = List.of(
      Check.ofRows(
          "rights",
          RIGHTS,
          ERROR,
          (row, examination) -> "This role lacks " + row.getString("rights") + " on "
              + examination.asked().schema() + "." + row.getString("subject") + ".",
          "A process of this role fails as soon as it comes to it.",
          (row, examination) -> "GRANT " + row.getString("rights") + " ON "
              + row.getString("kind").toUpperCase(Locale.ROOT) + " "
              + examination.schema() + "." + row.getString("subject")
              + " TO CURRENT_USER; -- as the owner, naming the role"),
      new Check(
          "additions",
          examination -> examination.rows(ADDITIONS, row -> addition(row, examination.schema()))),
      new Check("indexes", SchemaChecks::indexes),
      Check.ofRows(
          "dead_rows",
          DEAD_ROWS,
          WARNING,
          (row, examination) ->
              "Table " + row.getString("table_name") + " has " + row.getLong("dead")
                  + " dead rows beside " + row.getLong("living") + " living ones"
                  + (row.getOffsetDateTime("vacuumed_at") == null
                      ? ", and was never vacuumed."
                      : ", and was vacuumed at " + instant(row, "vacuumed_at") + "."),
          "Claims walk past the dead ones. Either autovacuum does not come, or an old transaction keeps"
              + " it from removing them.",
          (row, examination) ->
              "VACUUM " + examination.schema() + "." + row.getString("table_name") + ";"));

  private SchemaChecks() {}

  /** Read as a process would at its start, without the right to change anything. */
  private static Future<List<Finding>> migrations(Examination examination) {
    Future<Set<Finding>> found = Future.succeededFuture(new LinkedHashSet<>());
    for (SchemaModule module : SchemaModule.values()) {
      found = found.compose(findings -> migrations(module, examination).map(more -> {
        findings.addAll(more); // once where it is the database that cannot be used
        return findings;
      }));
    }
    return found.map(List::copyOf);
  }

  private static Future<List<Finding>> migrations(SchemaModule module, Examination examination) {
    DatabaseOptions.Settings settings = examination.settings();
    Migrator migrator = module.migrator(settings.schema());
    return migrator
        .pending(examination.vertx(), settings.connect())
        .compose(missing -> module.isUsed(migrator, missing)
            ? migrator
                .verify(examination.vertx(), settings.connect())
                .map(current -> List.<Finding>of())
                .recover(refused(
                    "A process that may not migrate does not start.",
                    "runlane migrate --apply --schema " + settings.schema()))
            : Future.succeededFuture(List.of()))
        .recover(refused(
            "No process of this release starts on it.",
            "Put right what is named: runlane migrate --apply ends with the same words."));
  }

  private static Future<List<Finding>> objects(Examination examination) {
    DatabaseOptions.Settings settings = examination.settings();
    Future<List<Finding>> found = Future.succeededFuture(new ArrayList<>());
    for (SchemaModule module : SchemaModule.values()) {
      found = found.compose(findings -> module
          .migrator(settings.schema())
          .missingObjects(examination.vertx(), settings.connect())
          .map(missing -> {
            missing.stream()
                .filter(each -> !INDEXES.contains(each.name())) // of the other check
                .forEach(each -> findings.add(missing(each, examination)));
            return findings;
          }));
    }
    return found.recover(failure -> isRefused(failure)
        ? Future.succeededFuture(List.of()) // as the check of migrations tells
        : Future.failedFuture(failure));
  }

  private static Finding missing(Migrator.MissingObject object, Examination examination) {
    String trigger = object.name() + " of table " + object.table();
    return switch (object.kind()) {
      case DISABLED_TRIGGER ->
        new Finding(
            "objects",
            ERROR,
            "Trigger " + trigger + " is disabled.",
            "What it writes is not written, and nothing fails: a restore of data alone that did not come to its end"
                + " leaves it so.",
            "ALTER TABLE " + examination.schema() + "." + object.table() + " ENABLE TRIGGER "
                + object.name() + "; -- once the data is whole");
      case TRIGGER ->
        lost("Trigger " + trigger, "What it writes is not written, and nothing fails.");
      case KEY ->
        lost(
            "Key " + object.name(),
            "What may be there once can be there twice, or the statements that need it fail.");
      case SEQUENCE -> lost("Sequence " + object.name(), USELESS);
      case FUNCTION -> lost("Function " + object.name(), USELESS);
      case TABLE -> lost("Table " + object.name(), USELESS);
    };
  }

  private static Finding lost(String what, String meaning) {
    return new Finding(
        "objects",
        ERROR,
        what + " is missing, though schema_migrations says that it was made.",
        meaning,
        "Restore the whole schema from a dump, not tables of it; runlane migrate --sql --schema another_name prints"
            + " how each object is made.");
  }

  private static List<String> tables(String schema) {
    return Stream.of(SchemaModule.values())
        .flatMap(module -> module.migrator(schema).tables().stream())
        .toList();
  }

  /** What somebody has made of a table of ours. */
  private static Finding addition(Row row, String schema) {
    String table = row.getString("table_name");
    String name = row.getString("name");
    String other = row.getString("other");
    String qualified = schema + "." + table;
    return switch (Addition.valueOf(row.getString("kind"))) {
      case FOREIGN_KEY ->
        new Finding(
            "additions",
            ERROR,
            "Foreign key " + name + " of table " + other + " refers to table " + table + ".",
            "Rows of ours are deleted as runs and jobs end, or are pruned: that fails while another row refers to one,"
                + " and a run does not end then; or it takes that other row with it.",
            "ALTER TABLE " + other + " DROP CONSTRAINT " + name + "; -- the id alone may stay");
      case TRIGGER ->
        new Finding(
            "additions",
            NOTE,
            "Trigger " + name + " of table " + table + " calls " + other + ", which is not ours.",
            "Each statement that it fires for takes as long as it does, and fails where it fails. Work whose outcome is"
                + " not stored is done again.",
            "See that it catches what it raises, and is short; or DROP TRIGGER " + name + " ON "
                + qualified + ";");
      case RULE ->
        new Finding(
            "additions",
            WARNING,
            "Rule " + name + " of table " + table + " makes other statements of ours.",
            "What it leaves out is not stored, and nothing fails.",
            "DROP RULE " + name + " ON " + qualified + ";");
      case UNLOGGED ->
        new Finding(
            "additions",
            ERROR,
            "Table " + table + " is unlogged.",
            "A crash of the server empties it, and a standby has none of it: what it holds is lost.",
            "ALTER TABLE " + qualified + " SET LOGGED;");
      case WITHOUT_IDENTITY ->
        new Finding(
            "additions",
            ERROR,
            "Table " + table + " is in publication " + other + " and has no replica identity.",
            "Every UPDATE and DELETE of it fails, with SQLSTATE 55000.",
            "ALTER TABLE " + qualified + " REPLICA IDENTITY DEFAULT;");
    };
  }

  /** As the statement names them. */
  private enum Addition {
    FOREIGN_KEY,
    TRIGGER,
    RULE,
    UNLOGGED,
    WITHOUT_IDENTITY
  }

  /** What keeps processes from their start, as a finding. */
  private static Function<Throwable, Future<List<Finding>>> refused(String meaning, String mend) {
    return failure -> isRefused(failure)
        ? Future.succeededFuture(
            List.of(new Finding("migrations", ERROR, failure.getMessage() + ".", meaning, mend)))
        : Future.failedFuture(failure);
  }

  private static boolean isRefused(Throwable failure) {
    return failure instanceof RunlaneException refused
        && refused.code() == ErrorCode.CONFIGURATION_INVALID;
  }

  private static Future<List<Finding>> indexes(Examination examination) {
    return examination
        .rows(SUPERSEDED, row -> row.getString("index_name"))
        .compose(superseded -> examination.rows(INVALID, row -> row).compose(invalid -> examination
            .rows(PRESENT, row -> row.getString("index_name"))
            .compose(present -> missing(present, examination))
            .map(missing -> {
              List<Finding> findings = new ArrayList<>();
              invalid.stream()
                  .filter(row -> !superseded.contains(row.getString("index_name")))
                  .forEach(row -> findings.add(invalid(row, examination)));
              findings.addAll(missing);
              superseded.forEach(index -> findings.add(superseded(index, examination)));
              return findings;
            })));
  }

  private static Finding invalid(Row row, Examination examination) {
    String index = row.getString("index_name");
    return row.getBoolean("is_taken")
        ? new Finding(
            "indexes",
            NOTE,
            "Index " + index + " is invalid, or is being made.",
            "Somebody holds the lock on its table that making it takes; a vacuum takes the same.",
            "Look again when that is over.")
        : OF_REBUILD.matcher(index).matches()
            ? leftOfRebuild(index, examination)
            : new Finding(
                "indexes",
                WARNING,
                "Index " + index + " is invalid.",
                "It is written but never read: statements it is for walk the table.",
                "REINDEX INDEX CONCURRENTLY " + examination.schema() + "." + index + ";");
  }

  /** Made anew it would be valid, and written for ever beside the one that it doubles. */
  private static Finding leftOfRebuild(String index, Examination examination) {
    return new Finding(
        "indexes",
        WARNING,
        "Index " + index + " was left by a REINDEX CONCURRENTLY that was cut off.",
        "It is written but never read.",
        "DROP INDEX CONCURRENTLY " + examination.schema() + "." + index + ";");
  }

  private static Future<List<Finding>> missing(List<String> present, Examination examination) {
    List<String> missing =
        INDEXES.stream().filter(index -> !present.contains(index)).toList();
    DatabaseOptions.Settings settings = examination.settings();
    return missing.isEmpty()
        ? Future.succeededFuture(List.of())
        : PgStorageAdapter.unsettledIndexes(
                examination.vertx(), settings.connect(), settings.schema())
            .map(unsettled -> missing.stream()
                .map(index -> missing(
                    index,
                    unsettled.missing().contains(index)
                        ? "runlane migrate --apply --schema " + settings.schema()
                            + " makes it, beside readers and writers."
                        : "runlane migrate --sql --schema another_name prints how it is made: make it"
                            + " here, CONCURRENTLY."))
                .toList());
  }

  private static Finding missing(String index, String mend) {
    return new Finding(
        "indexes",
        WARNING,
        "Index " + index + " is missing.",
        "The statements it is for walk the table, the longer the more runs there are.",
        mend);
  }

  private static Finding superseded(String index, Examination examination) {
    return new Finding(
        "indexes",
        WARNING,
        "Index " + index + " is read by nothing of this release.",
        "It is written with every run. It was left to processes of the release before; a process that may not drop"
            + " it leaves it for ever.",
        "runlane migrate --apply --schema " + examination.asked().schema()
            + " # as the role that migrates, a minute after the last process of the release before");
  }
}
