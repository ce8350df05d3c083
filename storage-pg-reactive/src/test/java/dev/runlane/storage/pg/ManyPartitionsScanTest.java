package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static dev.runlane.storage.pg.Scene.find;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.TestRun;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Outcomes;
import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.read.RunnableRunRef;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Looks for runs to be dispatched in a queue with more partitions than one statement walks over. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class ManyPartitionsScanTest {
  private static final int PARTITIONS = 300;
  private static final QueuePolicy QUEUE = QueuePolicy.bounded("mail", 1);

  private final Scene scene = Scene.open();
  private PgStorageAdapter storage;

  @BeforeEach
  void start() {
    storage = scene.start();
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void looks_that_are_followed_by_reservations_come_to_every_partition() {
    store(TestRuns::queued);

    Set<String> reserved = new HashSet<>();
    for (int look = 0; look < PARTITIONS / 50; look++) {
      for (RunnableRunRef found : look(50)) {
        done(storage.reserveRunDispatch(Commands.reserve(
                find(storage, found.runId()).orElseThrow(), QUEUE, NOON.plus(MINUTE), NOON)))
            .orElseThrow();
        reserved.add(found.runId());
      }
    }

    assertThat(reserved).hasSize(PARTITIONS);
    assertThat(look(50)).isEmpty();
  }

  @Test
  void a_look_goes_on_behind_the_partitions_of_the_one_before() {
    store(TestRuns::queued);

    assertThat(look(1)).extracting(RunnableRunRef::runId).containsExactly(run(0));
    assertThat(look(1)).extracting(RunnableRunRef::runId).containsExactly(run(255));
  }

  @Test
  void a_look_that_finds_fewer_than_are_wanted_has_been_over_all_partitions() {
    store(run -> run.equals(run(0)) || run.equals(run(PARTITIONS - 1))
        ? TestRuns.queued(run)
        : TestRuns.running(run, NOON.plus(MINUTE)));

    for (int look = 0; look < 3; look++) {
      assertThat(look(1)).hasSize(1);
      assertThat(look(10))
          .extracting(RunnableRunRef::runId)
          .containsExactly(run(0), run(PARTITIONS - 1));
    }
  }

  private List<RunnableRunRef> look(int limit) {
    return done(storage.listRunsNeedingDispatch(new ListRunsNeedingDispatch(
        ENVIRONMENT, List.of(QUEUE), NOON.plus(MINUTE.dividedBy(2)), limit)));
  }

  private static String run(int partition) {
    return String.format(Locale.ROOT, "run_%03d", partition);
  }

  /** A run in each partition, which are in the order of the runs' ids. */
  private void store(Function<String, TestRun> run) {
    look(1); // binds the queue, so that each run is in its partition from the beginning
    List<Future<?>> stored = new ArrayList<>();
    IntStream.range(0, PARTITIONS)
        .mapToObj(ManyPartitionsScanTest::run)
        .forEach(id -> stored.add(run.apply(id).queue(QUEUE).concurrencyKey(id).storeIn(storage)));
    stored.forEach(Outcomes::done);
  }
}
