package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.storage.pg.Scene.ENVIRONMENT;
import static dev.runlane.storage.pg.Scene.MINUTE;
import static dev.runlane.storage.pg.Scene.NOON;
import static dev.runlane.storage.pg.Scene.execute;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.QueuePolicy;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.limit.PublishedQueue;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Processes that publish their queues at once. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PublishedQueuesTest {
  private final Scene scene = Scene.open();
  private final PgStorageAdapter storage =
      scene.start(scene.options().setLockTimeout(Duration.ofSeconds(60)));

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void one_of_two_that_publish_at_once_sees_the_other_whatever_holds_them_up() {
    done(publish("third"));
    PgConnection other = scene.begin();
    execute(
        other,
        "INSERT INTO %s.processes SELECT env, 'first', '{}', '{}', now() FROM %<s.environments"
            .formatted(scene.schema()));

    Future<List<PublishedQueue>> first = publish("first");
    Scene.until(() -> waitingNow() == 1);
    Future<List<PublishedQueue>> second = publish("second");
    Scene.until(() -> second.isComplete() || waitingNow() == 2);
    execute(other, "ROLLBACK");

    assertThat(processes(second).contains("first") || processes(first).contains("second"))
        .as("one sees the other")
        .isTrue();
  }

  @Test
  void of_many_that_publish_at_once_each_sees_those_before_it() {
    List<Future<List<PublishedQueue>>> published = IntStream.range(0, 20)
        .mapToObj(process -> publish("process_" + process))
        .toList();

    List<Set<String>> seen =
        published.stream().map(PublishedQueuesTest::processes).toList();

    assertThat(seen.stream().map(Set::size))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.rangeClosed(1, 20).boxed().toList());
  }

  private Future<List<PublishedQueue>> publish(String process) {
    return storage
        .queueLimits()
        .orElseThrow()
        .publishQueues(new PublishQueues(
            ENVIRONMENT, process, List.of(QueuePolicy.bounded("mail", 3)), NOON, MINUTE));
  }

  private static Set<String> processes(Future<List<PublishedQueue>> published) {
    return done(published).stream().map(PublishedQueue::processId).collect(Collectors.toSet());
  }

  private long waitingNow() {
    return scene.number("""
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'""");
  }
}
