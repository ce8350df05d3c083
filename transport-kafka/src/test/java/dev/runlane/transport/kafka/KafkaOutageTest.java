package dev.runlane.transport.kafka;

import static dev.runlane.transport.kafka.Awaiting.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.transport.DeliveryResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Consumers whose broker dies, and whose broker is strict with them. */
@DisplayNameGeneration(ReplaceUnderscores.class)
@Tag("drill")
class KafkaOutageTest {
  private final ConsumerScene scene = new ConsumerScene(Brokers.mortal().bootstrapServers());
  private final ScriptedWorker worker = new ScriptedWorker();

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void consumers_go_on_after_their_broker_was_killed_and_restarted() {
    KafkaTransport transport = scene.transport(scene.options());
    scene.join(transport, worker, 1);
    scene.publish(ConsumerScene.runs("before", 100));

    Brokers.mortal().kill();
    Brokers.mortal().restart();
    scene.publish(ConsumerScene.runs("after", 100));

    scene.untilNoLag();
    assertThat(new HashSet<>(worker.runIds())).hasSize(200);
    assertThat(transport.deliveryCounts().deadLettered()).isZero();
  }

  @Test
  void a_consumer_stops_within_its_bound_while_its_broker_is_dead() {
    KafkaTransport transport =
        scene.transport(scene.options().setCommitTimeout(Duration.ofSeconds(1)));
    String id = scene.join(transport, worker, 1);
    scene.publish("run");
    scene.until("it is delivered", () -> worker.deliveries().size() == 1);
    Brokers.mortal().kill();
    try {
      done(scene.vertx.undeploy(id));
    } finally {
      Brokers.mortal().restart();
    }

    assertThat(worker.isStopped()).isTrue();
  }

  @Test
  void a_handler_far_longer_than_the_poll_interval_causes_no_rebalance() {
    Promise<DeliveryResult> held = Promise.promise();
    worker.answering(message -> message.runId().equals("long")
        ? held.future()
        : Future.succeededFuture(ScriptedWorker.DONE));
    Duration interval = Duration.ofSeconds(10); // longer than a busy machine keeps a thread waiting
    KafkaTransport transport = scene.transport(
        scene.options().setMaxInFlight(1).setMaxFetched(1).setMaxPollInterval(interval));
    scene.join(transport, worker, 1);
    scene.publish("long");
    scene.publish(ConsumerScene.runs("run", 20));
    scene.until("it is under way", () -> worker.runIds().contains("long"));
    Set<String> members = scene.topics.members(scene.topic).keySet();

    done(scene
        .vertx
        .timer(interval.multipliedBy(3).dividedBy(2).toMillis(), TimeUnit.MILLISECONDS)
        .mapEmpty());

    assertThat(scene.topics.members(scene.topic).keySet()).isEqualTo(members);
    held.complete(ScriptedWorker.DONE);
    scene.untilNoLag();
    assertThat(worker.runIds()).doesNotHaveDuplicates().hasSize(21);
  }
}
