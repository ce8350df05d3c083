package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.ListActions;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.storage.read.Page;
import io.vertx.sqlclient.PoolOptions;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What operators are shown of more actions than are looked at for one page. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ManyActionsTest {
  private static final ActionFilter RARE = ActionFilter.ALL.withActor("rare");
  private static final Instant FIRST = Instant.parse("2026-03-04T12:00:00Z");

  private final Scene scene = Scene.direct();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_page_of_a_rare_actor_leads_on_and_a_range_of_time_reads_its_own_actions_alone() {
    PgStorageAdapter storage =
        scene.start(scene.options().setPoolOptions(new PoolOptions().setMaxSize(1)));
    scene.countReadsAtOnce();
    scene.store(TestRuns.queued("known"), storage);
    scene.change("""
        INSERT INTO {s}.operator_actions (env, action_id, actor_type, actor_id, action, at)
        SELECT env, 'act_' || lpad(n::text, 6, '0'), 'operator', CASE WHEN n <= 20 THEN 'rare' ELSE 'common' END,
          'queue.pause', timestamptz '2026-03-04 12:00Z' + n * interval '1 second'
        FROM {s}.environments, generate_series(1, 10040) AS n""".replace("{s}", scene.schema()));
    OperatorStore operator = storage.operator().orElseThrow();

    Page<OperatorAction> first = list(operator, RARE, null);
    Page<OperatorAction> second = list(operator, RARE, first.nextCursor());
    long before = scene.rowsRead(storage);
    Page<OperatorAction> any = list(operator, ActionFilter.ALL, null);
    Page<OperatorAction> between =
        list(operator, RARE.withRecorded(FIRST.plusSeconds(11), FIRST.plusSeconds(31)), null);

    assertThat(scene.rowsRead(storage) - before).isLessThan(500);
    assertThat(first.data()).isEmpty();
    assertThat(first.nextCursor()).isNotNull();
    assertThat(second.data()).hasSize(20);
    assertThat(second.nextCursor()).isNull();
    assertThat(any.data()).hasSize(50);
    assertThat(between.data()).hasSize(10);
    assertThat(between.nextCursor()).isNull();
  }

  private static Page<OperatorAction> list(
      OperatorStore operator, ActionFilter filter, @Nullable String cursor) {
    return done(operator.listActions(new ListActions(ENVIRONMENT, filter, 50, cursor)));
  }
}
