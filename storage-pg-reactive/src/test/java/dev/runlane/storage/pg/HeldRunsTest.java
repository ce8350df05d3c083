package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.DEFAULT_QUEUE;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.run.ClaimedRuns;
import io.vertx.pgclient.PgConnection;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims that pass over what a competitor holds, and lets go, say that there may be more. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HeldRunsTest {
  private static final QueuePolicy ONE_EACH = QueuePolicy.bounded("bounded", 1);
  private static final Instant LATER = NOON.plus(MINUTE);

  /** From here on a claim remembers how far it got. */
  private static final int BACKLOG = 32;

  private final Scene scene = Scene.open();
  private PgStorageAdapter storage;

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_run_held_while_a_backlog_was_claimed_is_claimed_before_a_claim_finds_nothing_left() {
    storage = scene.start();
    IntStream.rangeClosed(0, BACKLOG + 1)
        .mapToObj(i -> TestRuns.queued("run_" + i).at(NOON.plusMillis(i)).storeIn(storage))
        .toList()
        .forEach(Outcomes::done);
    PgConnection holder = holding("active_runs WHERE run_id = 'run_0'");
    assertThat(Scene.claimAt(storage, List.of(DEFAULT_QUEUE), "tok_first", LATER, BACKLOG)
            .runs())
        .hasSize(BACKLOG);
    Scene.execute(holder, "ROLLBACK");

    ClaimedRuns second =
        Scene.claimAt(storage, List.of(DEFAULT_QUEUE), "tok_second", LATER, BACKLOG);

    assertThat(second.runs())
        .extracting(each -> each.run().id())
        .containsExactly("run_0", "run_" + (BACKLOG + 1));
    assertThat(second.mayHaveMore()).isFalse();
  }

  @Test
  void a_named_run_that_somebody_holds_is_passed_over_and_may_be_there_soon() {
    storage = scene.start();
    List<String> names = List.of("run_1", "run_2");
    names.forEach(name -> scene.store(TestRuns.queued(name), storage));
    PgConnection holder = holding("active_runs WHERE run_id = 'run_1'");

    ClaimedRuns first = Scene.claimNamed(storage, names, "tok_first");
    Scene.execute(holder, "ROLLBACK");
    ClaimedRuns second = Scene.claimNamed(storage, names, "tok_second");

    assertThat(first.runs()).extracting(each -> each.run().id()).containsExactly("run_2");
    assertThat(first.mayHaveMore()).isTrue();
    assertThat(second.runs()).extracting(each -> each.run().id()).containsExactly("run_1");
    assertThat(second.mayHaveMore()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"active_runs WHERE run_id = 'run_lapsed'", "queue_capacity"})
  void a_slot_whose_lapsed_reservation_somebody_holds_is_not_taken_for_full(String held) {
    storage = scene.start();
    scene.store(TestRuns.reserved("run_lapsed", NOON.plusSeconds(10)).queue(ONE_EACH), storage);
    done(storage.appendRunEvents(
        TestRuns.queued("run_waiting").queue(ONE_EACH).creation().in(ONE_EACH)));
    PgConnection holder = holding(held);

    ClaimedRuns first = Scene.claimAt(storage, List.of(ONE_EACH), "tok_first", LATER, 10);
    Scene.execute(holder, "ROLLBACK");
    ClaimedRuns second = Scene.claimAt(storage, List.of(ONE_EACH), "tok_second", LATER, 10);

    assertThat(first.runs()).isEmpty();
    assertThat(first.mayHaveMore()).isTrue();
    assertThat(second.runs()).extracting(each -> each.run().id()).containsExactly("run_waiting");
  }

  private PgConnection holding(String rows) {
    PgConnection holder = scene.begin();
    Scene.execute(holder, "SELECT 1 FROM " + scene.schema() + "." + rows + " FOR UPDATE");
    return holder;
  }
}
