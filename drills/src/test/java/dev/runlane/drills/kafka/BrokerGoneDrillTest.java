package dev.runlane.drills.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.DrillTopics;
import dev.runlane.drills.fleet.TriggerProgram;
import dev.runlane.drills.history.TopicState;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.drills.process.WakeupCounts;
import dev.runlane.simulation.history.StoredState;
import dev.runlane.testinfra.kafka.EmbeddedKafka;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two brokers, each with a copy of everything, of which one is killed. */
@Tag("full")
@DisplayNameGeneration(ReplaceUnderscores.class)
class BrokerGoneDrillTest {
  private static final int ITEMS = Boolean.getBoolean("drills.full") ? 5_000 : 1_500;
  private static final int WORKERS = 3;
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final short COPIES = 2;
  private static final int SECOND = 2;

  private final long seed = Long.getLong("drills.seed", System.nanoTime());
  private final List<JavaProcess> workers = new ArrayList<>();
  private final List<EmbeddedKafka> brokers = new ArrayList<>(); // beside the drill's own

  @Test
  void runs_end_once_each_and_wakeups_are_published_on_while_one_of_two_brokers_is_dead()
      throws Exception {
    System.out.println("broker gone drill: " + ITEMS + " items, -Ddrills.seed=" + seed);

    try {
      Drill.runOnKafka("broker-gone", LEASE, this::startSecond, this::onTwoBrokers);
    } finally {
      brokers.forEach(EmbeddedKafka::close);
    }
  }

  private void startSecond(Drill drill) {
    brokers.add(drill.kafka().startSecond());
    try (Admin admin = admin(drill)) {
      createTopics(admin);
    }
  }

  private static Admin admin(Drill drill) {
    return Admin.create(
        Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, drill.kafka().bootstrapServers()));
  }

  private void onTwoBrokers(Drill drill) throws Exception {
    try (Admin admin = admin(drill)) {
      onTwoBrokers(drill, brokers.get(0), admin);
    }
  }

  private void onTwoBrokers(Drill drill, EmbeddedKafka second, Admin admin) throws Exception {
    while (workers.size() < WORKERS) {
      workers.add(drill.forkWorker("worker-" + workers.size()));
    }
    workers.forEach(drill::awaitReady);
    JavaProcess caller =
        drill.fork("caller", TriggerProgram.class, Drill.with(drill.target(), seed, 0, ITEMS));
    Await.until("a quarter of all runs has ended", BOUND, () -> drill.endedRuns() >= ITEMS / 4);
    List<TopicPartition> led = ledBySecond(admin);
    assertThat(led).as("partitions that the second broker leads").isNotEmpty();

    second.kill();
    Duration elected = Await.until(
        "the first broker leads all", BOUND, () -> ledBySecond(admin).isEmpty());
    Map<TopicPartition, Long> before = ends(admin, led);
    long executed = WakeupCounts.sum(workers).executed();
    Duration published =
        Await.until("wakeups are published to what the second led", BOUND, () -> !ends(admin, led)
            .equals(before));
    Await.until(
        "wakeups are executed", BOUND, () -> WakeupCounts.sum(workers).executed() > executed);
    assertThat(caller.awaitExit(BOUND)).isZero();
    drill.awaitDone(BOUND);
    second.restart();

    TopicState topics = drill.checkTopics(workers, 0, BOUND);
    StoredState state = drill.check();
    assertThat(workers).allMatch(JavaProcess::isAlive);
    assertThat(state.histories()).hasSizeGreaterThan(ITEMS * 9 / 10);
    assertThat(state.partitions()).allMatch(use -> use.counted() == 0);
    drill.report(
        state.histories().size() + " runs, " + topics.records() + " wakeups, lag " + topics.lag());
    drill.report(led.size() + " partitions had another leader after " + elected.toMillis()
        + " ms and wakeups " + published.toMillis() + " ms later");
  }

  /** Before anybody makes them with one copy. */
  private static void createTopics(Admin admin) {
    answer(admin
        .createTopics(
            Stream.concat(DrillTopics.wakeups().stream(), DrillTopics.deadLetters().stream())
                .map(topic -> new NewTopic(topic, DrillTopics.PARTITIONS, COPIES))
                .toList())
        .all());
  }

  private static List<TopicPartition> ledBySecond(Admin admin) {
    List<TopicPartition> led = new ArrayList<>();
    answer(admin.describeTopics(DrillTopics.wakeups()).allTopicNames())
        .forEach((topic, description) -> {
          for (TopicPartitionInfo each : description.partitions()) {
            if (each.leader() == null || each.leader().id() == SECOND) {
              led.add(new TopicPartition(topic, each.partition()));
            }
          }
        });
    return led;
  }

  private static Map<TopicPartition, Long> ends(Admin admin, List<TopicPartition> partitions) {
    Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
    partitions.forEach(each -> wanted.put(each, OffsetSpec.latest()));
    Map<TopicPartition, Long> ends = new HashMap<>();
    answer(admin.listOffsets(wanted).all()).forEach((each, end) -> ends.put(each, end.offset()));
    return ends;
  }

  private static <T> T answer(KafkaFuture<T> future) {
    try {
      return future.get();
    } catch (ExecutionException failure) {
      throw new AssertionError(failure);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }
}
