package dev.runlane.cli.doctor;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.operator.OperatorStore;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.Placeholders;
import dev.runlane.postgres.statement.SchemaName;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.postgres.statement.SqlStatements;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Looks at one database of runs. Changes nothing. */
public final class Doctor {
  private static final Duration LATE = Duration.ofMinutes(1);

  static final SqlStatement<@Nullable Void> CLOCK = SqlStatement.plain("clock");
  private static final SqlStatement<Asked> SCHEMA_EXISTS =
      SqlStatement.of("schema_exists", Asked.bySchema());

  private final Vertx vertx;
  private final DatabaseOptions.Settings settings;
  private final Duration longTransaction;
  private final Clock clock;
  private final BoundStatements statements;

  /** @param longTransaction how long a transaction may be open unmentioned */
  public Doctor(
      Vertx vertx, DatabaseOptions.Settings settings, Duration longTransaction, Clock clock) {
    this.vertx = vertx;
    this.settings = settings;
    this.longTransaction = longTransaction;
    this.clock = clock;
    List<SqlStatement<?>> all = new ArrayList<>(List.of(CLOCK, SCHEMA_EXISTS));
    all.addAll(ServerChecks.STATEMENTS);
    all.addAll(SchemaChecks.STATEMENTS);
    all.addAll(RunChecks.STATEMENTS);
    all.addAll(JobChecks.STATEMENTS);
    this.statements = SqlStatements.load(
            Doctor.class::getResourceAsStream, new SchemaName(settings.schema()), "sql/doctor.sql")
        .bind(Placeholders.NUMBERED, all);
  }

  /**
   * What the checks found, by their names, in their order; an empty list for one that found nothing.
   *
   * @param findings by check
   */
  public record Report(Map<String, List<Finding>> findings) {
    /** All findings, check by check. */
    public List<Finding> all() {
      return findings.values().stream().flatMap(List::stream).toList();
    }
  }

  /** Looks at everything. Fails with {@code StorageUnavailable} where the database cannot be reached. */
  public Future<Report> examine() {
    return Examination.connect(vertx, settings)
        .compose(connection ->
            examine(connection).eventually(() -> connection.close().otherwiseEmpty()))
        .recover(PgFailures.during("looking at the database"));
  }

  private Future<Report> examine(PgConnection connection) {
    return statements
        .get(CLOCK)
        .execute(connection)
        .map(read -> examination(connection, Examination.instant(read.iterator().next(), "now")))
        .compose(examination -> examination
            .row(SCHEMA_EXISTS)
            .compose(found ->
                inTurn(checks(found.getBoolean("has_runs")), examination, new LinkedHashMap<>())));
  }

  private Examination examination(PgConnection connection, Instant now) {
    return new Examination(
        vertx,
        settings,
        clock,
        statements,
        connection,
        new Asked(
            settings.schema(),
            settings.environment(),
            now.minus(longTransaction),
            now.minus(LATE),
            now.minus(OperatorStore.GONE_AFTER)));
  }

  private static List<Check> checks(boolean hasTables) {
    List<Check> checks = new ArrayList<>(ServerChecks.ALL);
    checks.add(SchemaChecks.MIGRATIONS);
    if (hasTables) {
      checks.addAll(SchemaChecks.ALL);
      checks.addAll(RunChecks.ALL);
      checks.addAll(JobChecks.ALL);
    }
    return checks;
  }

  /** A check that fails is a finding, and the next one is made. */
  private Future<Report> inTurn(
      List<Check> checks, Examination examination, Map<String, List<Finding>> found) {
    if (checks.isEmpty()) {
      return Future.succeededFuture(new Report(found));
    }
    Check check = checks.get(0);
    return check
        .look()
        .at(examination)
        .recover(failure -> Future.succeededFuture(List.of(new Finding(
            check.name(),
            Finding.Severity.WARNING,
            "This could not be looked at: "
                + settings.withoutAddress(String.valueOf(failure.getMessage())),
            "Nothing is known of it.",
            "Give this role the right to read it, or look as another one."))))
        .compose(findings -> {
          found.put(check.name(), findings);
          return inTurn(checks.subList(1, checks.size()), examination, found);
        });
  }
}
