package dev.runlane.cli.steps;

import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.postgres.BoundStatements;
import dev.runlane.postgres.ConnectionBounds;
import dev.runlane.postgres.Parameters;
import dev.runlane.postgres.PgConnections;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.Placeholders;
import dev.runlane.postgres.SchemaName;
import dev.runlane.postgres.SqlStatement;
import dev.runlane.postgres.SqlStatements;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads which steps wait: over a connection of its own, which it closes. It changes nothing. */
final class WaitingSteps {
  private static final Duration STATEMENT = Duration.ofSeconds(30);
  private static final SqlStatement<Asked> GROUPS =
      SqlStatement.of("groups", new Parameters<Asked>().value("environment", Asked::environment));
  private static final SqlStatement<Asked> STEPS = SqlStatement.of(
      "steps",
      new Parameters<Asked>()
          .value("environment", Asked::environment)
          .value("run_id", Asked::runId)
          .value("grp", Asked::group)
          .value("after_id", Asked::after)
          .value("limit", Asked::limit));

  private final Vertx vertx;
  private final DatabaseOptions.Settings settings;
  private final BoundStatements statements;

  WaitingSteps(Vertx vertx, DatabaseOptions.Settings settings) {
    this.vertx = vertx;
    this.settings = settings;
    statements = SqlStatements.load(
            WaitingSteps.class::getResourceAsStream,
            new SchemaName(settings.schema()),
            "sql/steps.sql")
        .bind(Placeholders.NUMBERED, List.of(GROUPS, STEPS));
  }

  /**
   * What is read.
   *
   * @param environment the scope
   * @param runId of this run; null: of any
   * @param group of this group; null: of any
   * @param after behind this step; null: from the first
   * @param limit how many at most
   */
  private record Asked(
      String environment,
      @Nullable String runId,
      @Nullable String group,
      @Nullable String after,
      int limit) {}

  /** All groups with steps that wait, by their names. */
  Future<List<WaitingGroup>> groups() {
    return rows(
        GROUPS,
        new Asked(settings.environment(), null, null, null, 0),
        row -> new WaitingGroup(
            row.getString("grp"),
            row.getLong("waiting"),
            row.getLong("dispatched"),
            row.getInteger("attempt"),
            instant(row.getOffsetDateTime("oldest")),
            row.getOffsetDateTime("deadline").toInstant()));
  }

  /** Steps that wait, by their ids. */
  Future<List<WaitingStep>> steps(
      @Nullable String runId, @Nullable String group, @Nullable String after, int limit) {
    return rows(
        STEPS,
        new Asked(settings.environment(), runId, group, after, limit),
        row -> new WaitingStep(
            row.getString("step_id"),
            row.getString("run_id"),
            row.getString("name"),
            row.getString("grp"),
            row.getInteger("attempt"),
            instant(row.getOffsetDateTime("occurred_at")),
            instant(row.getOffsetDateTime("dispatched_at")),
            row.getOffsetDateTime("next_at").toInstant(),
            row.getOffsetDateTime("deadline_at").toInstant(),
            row.getBoolean("run_ended")));
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }

  private <T> Future<List<T>> rows(
      SqlStatement<Asked> statement, Asked asked, Function<Row, T> made) {
    return PgConnections.connect(
            vertx,
            settings.connect(),
            ConnectionBounds.of(STATEMENT, ConnectionBounds.DEFAULT_CLOSE_TIMEOUT))
        .compose(connection -> statements
            .get(statement)
            .execute(connection, asked)
            .eventually(() -> connection.close().otherwiseEmpty()))
        .map(found -> {
          List<T> all = new ArrayList<>();
          found.forEach(row -> all.add(made.apply(row)));
          return all;
        })
        .recover(PgFailures.during("reading steps that wait"));
  }
}
