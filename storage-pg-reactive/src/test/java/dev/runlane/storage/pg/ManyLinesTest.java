package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.TestRuns;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.run.ClaimRuns;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** However many queues and tasks a process has, a claim looks only where there is anything. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ManyLinesTest {
  private static final List<QueuePolicy> QUEUES = IntStream.range(0, 50)
      .mapToObj(queue -> QueuePolicy.unbounded("queue_" + queue))
      .toList();
  private static final List<String> TASKS =
      IntStream.range(0, 5_000).mapToObj(task -> "task_" + task).toList();

  private final Scene scene = Scene.direct();
  private PgStorageAdapter storage;

  @BeforeEach
  void start() {
    storage = scene.start(scene.options());
    scene.countReadsAtOnce();
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void a_claim_of_five_thousand_tasks_in_fifty_queues_reads_a_few_pages_of_each_queue() {
    scene.store(TestRuns.queued("run_1").task("task_4999").queue(QUEUES.get(49)).at(NOON), storage);
    Scene.until(() -> claimed().contains("run_1")); // a queue that is new is left out at first
    Scene.until(() ->
        scene.number("SELECT count(*) FROM {schema}.queue_bindings WHERE queue LIKE 'queue_%'")
            == QUEUES.size());
    long before = scene.pagesRead(storage, "active_runs");

    assertThat(claimed()).isEmpty();

    assertThat(scene.pagesRead(storage, "active_runs") - before).isLessThan(10L * QUEUES.size());
  }

  private List<String> claimed() {
    return done(storage
            .batch()
            .orElseThrow()
            .claimRuns(
                new ClaimRuns(ENVIRONMENT, QUEUES, TASKS, "worker_1", "tok", MINUTE, NOON, 10)))
        .runs()
        .stream()
        .map(each -> each.run().id())
        .toList();
  }
}
