package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.step.ListStepGroups;
import dev.runlane.operator.step.ListSteps;
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.storage.read.Page;
import io.vertx.sqlclient.PoolOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What operators are shown of more remote steps than are looked at for one answer. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ManyStepsTest {
  private static final int MORE = 20;

  private final Scene scene = Scene.direct();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_page_of_a_rare_group_leads_on_and_groups_say_that_others_are_missing() {
    PgStorageAdapter storage =
        scene.start(scene.options().setPoolOptions(new PoolOptions().setMaxSize(1)));
    scene.countReadsAtOnce();
    scene.store(TestRuns.queued("waits"), storage);
    scene.change("""
        INSERT INTO {s}.pending_steps (env, step_id, run_id, position, request_sequence, name, grp, attempt, next_at,
          deadline_at)
        SELECT env, 'run_' || lpad(n::text, 6, '0') || ':0', 'run_' || lpad(n::text, 6, '0'), 0, 4, 'scale',
          CASE WHEN n > 10000 THEN 'rare' ELSE 'common' END, 1, timestamptz '2026-03-04 12:00Z',
          timestamptz '2026-03-04 13:00Z'
        FROM {s}.environments, generate_series(1, 10020) AS n""".replace("{s}", scene.schema()));
    OperatorStore operator = storage.operator().orElseThrow();

    Page<WaitingStep> first = list(operator, null, "rare", null);
    Page<WaitingStep> second = list(operator, null, "rare", first.nextCursor());
    Page<StepGroup> groups = done(operator.listStepGroups(new ListStepGroups(ENVIRONMENT)));
    long before = scene.rowsRead(storage);
    Page<WaitingStep> any = list(operator, null, null, null);
    Page<WaitingStep> ofRun = list(operator, "run_000700", null, null);

    assertThat(scene.rowsRead(storage) - before).isLessThan(500);
    assertThat(first.data()).isEmpty();
    assertThat(first.nextCursor()).isNotNull();
    assertThat(second.data()).hasSize(MORE);
    assertThat(second.nextCursor()).isNull();
    assertThat(groups.data())
        .extracting(StepGroup::group, StepGroup::waiting, StepGroup::oldestRequestedAt)
        .containsExactly(tuple("common", 10_000L, null));
    assertThat(groups.isCut()).isTrue();
    assertThat(any.data()).hasSize(50);
    assertThat(ofRun.data()).extracting(WaitingStep::id).containsExactly("run_000700:0");
  }

  private static Page<WaitingStep> list(
      OperatorStore operator, String runId, String group, String cursor) {
    return done(operator.listSteps(new ListSteps(ENVIRONMENT, runId, group, 50, cursor)));
  }
}
