package dev.runlane.cli.doctor;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.operator.OperatorStore;
import dev.runlane.postgres.ConnectionBounds;
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
import io.vertx.pgclient.PgException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Looks at one database of runs. Changes nothing. */
public final class Doctor {
  private static final Duration LATE = Duration.ofMinutes(1);
  private static final Duration UNANSWERED = Duration.ofMinutes(10);
  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final String QUERY_CANCELED = "57014";
  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  static final SqlStatement<@Nullable Void> CLOCK = SqlStatement.plain("clock");
  private static final SqlStatement<Asked> SCHEMA_EXISTS =
      SqlStatement.of("schema_exists", Asked.bySchema());

  private final Vertx vertx;
  private final DatabaseOptions.Settings settings;
  private final Duration longTransaction;
  private final Duration patience;
  private final Clock clock;
  private final BoundStatements statements;

  /**
   * Connects to nothing yet.
   *
   * @param longTransaction how long a transaction may be open unmentioned
   * @param patience how long each check may take
   */
  public Doctor(
      Vertx vertx,
      DatabaseOptions.Settings settings,
      Duration longTransaction,
      Duration patience,
      Clock clock) {
    this.vertx = vertx;
    this.settings = settings;
    this.longTransaction = longTransaction;
    this.patience = patience;
    this.clock = clock;
    this.statements = statements(new SchemaName(settings.schema()));
  }

  /** All that is asked of a schema. */
  static BoundStatements statements(SchemaName schema) {
    List<SqlStatement<?>> all = new ArrayList<>(List.of(CLOCK, SCHEMA_EXISTS));
    all.addAll(ServerChecks.STATEMENTS);
    all.addAll(SchemaChecks.STATEMENTS);
    all.addAll(SequenceChecks.STATEMENTS);
    all.addAll(RunChecks.STATEMENTS);
    all.addAll(JobChecks.STATEMENTS);
    return SqlStatements.load(Doctor.class::getResourceAsStream, schema, "sql/doctor.sql")
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

  /**
   * Looks at everything, each check for a bounded time: what cannot be looked at is told as such. Fails with {@code
   * StorageUnavailable} where the database cannot be reached at the beginning.
   */
  public Future<Report> examine() {
    return connect()
        .compose(connection -> begin(connection).recover(failure -> connection
            .close()
            .otherwiseEmpty()
            .compose(closed -> Future.failedFuture(failure))))
        .recover(PgFailures.during("looking at the database"));
  }

  private Future<PgConnection> connect() {
    return Examination.connect(vertx, settings, patience);
  }

  private Future<Report> begin(PgConnection connection) {
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
        patience,
        statements,
        connection,
        new Asked(
            settings.schema(),
            settings.environment(),
            now.minus(longTransaction),
            now.minus(LATE),
            now.minus(UNANSWERED),
            now.minus(OperatorStore.GONE_AFTER)));
  }

  private static List<Check> checks(boolean hasTables) {
    List<Check> checks = new ArrayList<>(ServerChecks.ALL);
    checks.add(SchemaChecks.MIGRATIONS);
    checks.add(SchemaChecks.OBJECTS);
    if (hasTables) {
      checks.addAll(SchemaChecks.ALL);
      checks.addAll(SequenceChecks.ALL);
      checks.addAll(RunChecks.ALL);
      checks.addAll(JobChecks.ALL);
    }
    return checks;
  }

  /** A check that fails is a finding, and the next one is made, on another connection where that one may be lost. */
  private Future<Report> inTurn(
      List<Check> checks, Examination examination, Map<String, List<Finding>> found) {
    if (checks.isEmpty()) {
      return examination.connection().close().otherwiseEmpty().map(closed -> new Report(found));
    }
    Check check = checks.get(0);
    List<Check> others = checks.subList(1, checks.size());
    return Future.<Void>succeededFuture()
        .compose(begin -> check.look().at(examination))
        .timeout(atMost().toMillis(), TimeUnit.MILLISECONDS)
        .transform(looked -> {
          found.put(
              check.name(),
              looked.succeeded() ? looked.result() : List.of(unseen(check, looked.cause())));
          return looked.succeeded() || looked.cause() instanceof PgException
              ? inTurn(others, examination, found)
              : anew(others, examination, found);
        });
  }

  /** Of one or a few statements, each of which the server ends by itself before. */
  private Duration atMost() {
    return patience.plus(ConnectionBounds.BEYOND_STATEMENT_TIMEOUT);
  }

  private Future<Report> anew(
      List<Check> checks, Examination examination, Map<String, List<Finding>> found) {
    return examination
        .connection()
        .close()
        .otherwiseEmpty()
        .compose(closed -> connect())
        .transform(connected -> {
          if (connected.succeeded()) {
            return inTurn(checks, examination.on(connected.result()), found);
          }
          checks.forEach(
              check -> found.put(check.name(), List.of(unseen(check, connected.cause()))));
          return Future.succeededFuture(new Report(found));
        });
  }

  private Finding unseen(Check check, Throwable failure) {
    return new Finding(
        check.name(),
        Finding.Severity.WARNING,
        "This could not be looked at: "
            + (failure instanceof TimeoutException
                ? "it took longer than " + patience + "."
                : settings.withoutAddress(String.valueOf(failure.getMessage()))),
        "Nothing is known of it.",
        mend(failure));
  }

  private static String mend(Throwable failure) {
    String state = failure instanceof PgException refused ? refused.getSqlState() : "";
    return switch (state) {
      case LOCK_NOT_AVAILABLE ->
        "See who holds a table for himself, and end it: SELECT l.relation::regclass, a.* FROM pg_locks l JOIN"
            + " pg_stat_activity a USING (pid) WHERE l.granted AND l.mode = 'AccessExclusiveLock';";
      case QUERY_CANCELED ->
        "Give it more time, or look again when the server has less to do: runlane doctor --answer-within 10m";
      case INSUFFICIENT_PRIVILEGE -> "Give this role the right to read it, or look as another one.";
      case "" -> "See whether the database can be reached, and look again.";
      default -> "Mend what else was found, and look again.";
    };
  }
}
