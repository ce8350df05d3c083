package dev.runlane.storage.pg;

import dev.runlane.operator.step.ListStepGroups;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.postgres.PgFailures;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.pg.row.PgSession;
import dev.runlane.storage.pg.row.RowReader;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which remote steps wait, as operators are shown them. */
final class StepDesk {
  /** How many steps a page and a count of groups look at = {@value}. */
  static final int LOOKED = 10_000;

  private static final int LAST_LOOKED_AT = 10; // their columns
  private static final int IS_CUT = 6;

  private static final SqlStatement<PgSession.Scoped<After>> LIST = PgSession.statement(
      "list_steps",
      new Parameters<After>()
          .value("run_id", after -> after.query().runId())
          .value("grp", after -> after.query().group())
          .value("after_id", After::afterId)
          .value("looked", After::looked)
          .value("limit", after -> after.limit() + 1));
  private static final SqlStatement<PgSession.Scoped<After>> OF_ANY_RUN =
      LIST.variant("of_run", "{of_any_run}");
  private static final SqlStatement<PgSession.Scoped<After>> OF_ONE_RUN =
      LIST.variant("of_run", "{of_one_run}");
  private static final SqlStatement<PgSession.Scoped<ListStepGroups>> GROUPS = PgSession.statement(
      "list_step_groups", new Parameters<ListStepGroups>().value("looked", query -> LOOKED));

  static final List<SqlStatement<?>> STATEMENTS = List.of(OF_ANY_RUN, OF_ONE_RUN, GROUPS);

  private final PgParts parts;
  private final PgSession session;

  StepDesk(PgParts parts) {
    this.parts = parts;
    this.session = parts.session();
  }

  Future<Page<WaitingStep>> list(ListSteps query) {
    Cursors cursors = Cursors.of(query);
    int limit = CommandChecks.pageLimit(query.limit());
    String after = cursors.decode(query.cursor(), 1).map(found -> found.get(0)).orElse(null);
    return parts
        .alone(
            query.environment(),
            scope -> session.execute(
                query.runId() == null ? OF_ANY_RUN : OF_ONE_RUN,
                scope,
                new After(query, after, limit)))
        .map(rows -> page(rows, limit, cursors))
        .recover(PgFailures.during("listSteps"));
  }

  /** It goes on behind its last row where there are more, else behind the last that was looked at. */
  private static Page<WaitingStep> page(RowSet<Row> rows, int limit, Cursors cursors) {
    List<WaitingStep> found = new ArrayList<>(rows.size());
    String looked = null;
    for (Row row : rows) {
      if (row.getString(0) != null) {
        found.add(step(new RowReader(row)));
      }
      looked = row.getString(LAST_LOOKED_AT);
    }
    if (found.size() > limit) {
      return new Page<>(
          found.subList(0, limit), cursors.encode(found.get(limit - 1).id()));
    }
    return new Page<>(found, looked == null ? null : cursors.encode(looked));
  }

  Future<Page<StepGroup>> groups(ListStepGroups query) {
    return parts
        .alone(query.environment(), scope -> session.execute(GROUPS, scope, query))
        .map(rows -> {
          List<StepGroup> found = new ArrayList<>(rows.size());
          boolean isCut = false;
          for (Row row : rows) {
            if (row.getString(0) != null) {
              found.add(group(new RowReader(row)));
            }
            isCut = row.getBoolean(IS_CUT);
          }
          return new Page<>(found, null, isCut);
        })
        .recover(PgFailures.during("listStepGroups"));
  }

  private static WaitingStep step(RowReader row) {
    return new WaitingStep(
        row.text(),
        row.text(),
        row.text(),
        row.text(),
        row.count(),
        row.timeOrNull(),
        row.timeOrNull(),
        row.time(),
        row.time(),
        row.flag());
  }

  private static StepGroup group(RowReader row) {
    return new StepGroup(
        row.text(), row.number(), row.number(), row.count(), row.timeOrNull(), row.time());
  }

  /** Behind which step a page begins. */
  private record After(ListSteps query, @Nullable String afterId, int limit) {
    /** No more than are wanted where every one of them fits. */
    int looked() {
      return query.group() == null ? limit + 1 : LOOKED;
    }
  }
}
