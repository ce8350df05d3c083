package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.NOON;
import static dev.runlane.storage.pg.Scene.TASK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunnableRunRef;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** However many bounded queues there are, a look at them is one statement. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ManyQueuesTest {
  private static final List<QueuePolicy> QUEUES = IntStream.range(0, 10)
      .mapToObj(queue -> QueuePolicy.bounded("bounded_" + queue, 1 + queue % 2))
      .toList();

  private final Scene scene = Scene.open();
  private CountingLine line;
  private PgStorageAdapter storage;

  @BeforeEach
  void start() {
    line = new CountingLine(scene.vertx(), scene.options().getConnectOptions());
    done(line.listen());
    storage = scene.start(scene.options().setConnectOptions(line.options()));
    dispatchable(); // makes the environment
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_look_for_runs_to_be_dispatched_is_one_statement() {
    assertThat(statementsOf(this::dispatchable)).isEqualTo(1);
  }

  @Test
  void a_look_for_runnable_runs_is_one_statement() {
    assertThat(statementsOf(this::runnable)).isEqualTo(1);
  }

  @Test
  void queues_seen_for_the_first_time_with_their_policies_noted_cost_one_statement_more() {
    PgStorageAdapter next = scene.start(scene.options().setConnectOptions(line.options()));
    done(next.listRunsNeedingDelivery(
        new ListRunsNeedingDelivery(ENVIRONMENT, List.of("another"), NOON, 1)));

    assertThat(statementsOf(() -> done(next.listRunsNeedingDispatch(
            new ListRunsNeedingDispatch(ENVIRONMENT, QUEUES, NOON, 100)))))
        .isEqualTo(2);
  }

  @Test
  void each_queue_gives_as_many_as_it_has_room_for_in_the_order_they_are_due() {
    for (int run = 0; run < 3; run++) {
      for (QueuePolicy queue : QUEUES) {
        scene.store(
            TestRuns.queued("run_%s_%s".formatted(queue.queue(), run))
                .queue(queue)
                .at(NOON.minusSeconds(100 - 10L * run)),
            storage);
      }
    }

    assertThat(dispatchable())
        .extracting(RunnableRunRef::runId)
        .containsExactlyElementsOf(firstOfEachQueue());
    assertThat(runnable())
        .extracting(RunnableRunRef::runId)
        .containsExactlyElementsOf(firstOfEachQueue());
  }

  private static List<String> firstOfEachQueue() {
    return IntStream.range(0, 2)
        .boxed()
        .flatMap(run -> QUEUES.stream()
            .filter(queue -> run < queue.concurrencyLimit())
            .map(queue -> "run_%s_%s".formatted(queue.queue(), run)))
        .toList();
  }

  private List<RunnableRunRef> dispatchable() {
    return done(storage.listRunsNeedingDispatch(
        new ListRunsNeedingDispatch(ENVIRONMENT, QUEUES, NOON, 100)));
  }

  private List<RunnableRunRef> runnable() {
    return done(storage.listRunnableRuns(
        new ListRunnableRuns(ENVIRONMENT, QUEUES, List.of(TASK), NOON, 100)));
  }

  private long statementsOf(Supplier<?> action) {
    long before = line.statements();
    action.get();
    return line.statements() - before;
  }
}
