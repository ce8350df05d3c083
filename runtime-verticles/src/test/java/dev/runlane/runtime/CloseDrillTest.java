package dev.runlane.runtime;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.pgkafka.PgKafkaLane;
import dev.runlane.lane.pgkafka.PgKafkaLaneOptions;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.kafka.EmbeddedKafka;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.testinfra.process.FrozenProcess;
import dev.runlane.transport.kafka.KafkaQueue;
import dev.runlane.transport.kafka.KafkaTopicOptions;
import dev.runlane.transport.kafka.KafkaTransportOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A runtime and its Vert.x that are closed while the database or the broker is gone, or does not answer any more. */
@Tag("drill")
@EnabledIfSystemProperty(named = "drills.full", matches = "true")
class CloseDrillTest {
  private static final TaskQueue QUEUE = TaskQueue.of("default").asDefault();
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(4);

  /** The promise is the timeout and 2 s; the rest is for a machine with other things to do. */
  private static final long PATIENCE_SECONDS = CLOSE_TIMEOUT.toSeconds() + 2 + 4;

  private final PgStorageOptions storage = new PgStorageOptions()
      .setConnectOptions(PgConnectOptions.fromUri(
          Servers.POSTGRES.createDatabase("runtime_close").toUri()));
  private final CountDownLatch begun = new CountDownLatch(8);
  private final Promise<Void> finish = Promise.promise();

  /** Started by the first test. */
  private static final class Servers {
    static final EmbeddedPostgres POSTGRES = EmbeddedPostgres.builder().start();
    static final EmbeddedKafka KAFKA = EmbeddedKafka.builder().start();
  }

  @AfterAll
  static void stopServers() {
    Servers.POSTGRES.close();
    Servers.KAFKA.close();
  }

  /** How a server goes away; closing it brings the server back. */
  enum Outage {
    POSTGRES_FROZEN,
    BROKER_FROZEN,
    POSTGRES_GONE,
    BROKER_GONE;

    AutoCloseable begin() {
      switch (this) {
        case POSTGRES_FROZEN:
          return FrozenProcess.withChildren(Servers.POSTGRES.pid());
        case BROKER_FROZEN:
          return FrozenProcess.withChildren(Servers.KAFKA.pid());
        case POSTGRES_GONE:
          Servers.POSTGRES.kill();
          return Servers.POSTGRES::restart;
        default:
          Servers.KAFKA.kill();
          return Servers.KAFKA::restart;
      }
    }
  }

  private Runlane process(Vertx vertx, Outage outage, Task<?> task) {
    KafkaTransportOptions kafka = new KafkaTransportOptions()
        .setBootstrapServers(Servers.KAFKA.bootstrapServers())
        .addQueue(new KafkaQueue(QUEUE.policy(), "close-" + outage.name().toLowerCase()))
        .setCreateTopics(new KafkaTopicOptions().setPartitions(4));
    return Runlane.builder(
            vertx,
            PgKafkaLane.create(
                vertx, new PgKafkaLaneOptions().setStorage(storage).setTransport(kafka)))
        .options(new RunlaneOptions()
            .setLeaseDuration(Duration.ofSeconds(5))
            .setCloseTimeout(CLOSE_TIMEOUT))
        .queue(QUEUE)
        .task(task)
        .build();
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(90, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  private static void closesInTime(Future<?> closed) {
    try {
      closed.otherwiseEmpty().await(PATIENCE_SECONDS, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError("not closed in time", late);
    }
  }

  @ParameterizedTest
  @EnumSource
  void closing_ends_within_its_timeout_and_nothing_is_lost(Outage outage) throws Exception {
    Task<Integer> task = Task.define("work", Integer.class).handler((number, context) -> {
      begun.countDown();
      return finish.future().map(done -> TaskResult.done(number));
    });
    Vertx vertx = Vertx.vertx();
    Runlane process = process(vertx, outage, task);
    await(process.deploy(vertx, new RunlaneDeployment()));
    List<String> runs = await(
            process.triggerAll(task, IntStream.range(0, 8).boxed().toList(), new TriggerOptions()))
        .stream()
        .map(result -> result.run().id())
        .toList();
    assertThat(begun.await(60, SECONDS)).isTrue();

    AutoCloseable back = outage.begin();
    try {
      finish.complete(); // what they come to cannot be stored, or nobody can be woken
      process.trigger(task, 9);
      closesInTime(process.close());
      closesInTime(vertx.close());
    } finally {
      back.close();
    }

    Vertx another = Vertx.vertx();
    Runlane successor = process(another, outage, task);
    await(successor.deploy(another, new RunlaneDeployment()));
    List<RunRecord> ended = await(Future.all(runs.stream()
            .map(id -> successor.awaitRun(id, Duration.ofSeconds(60)))
            .toList()))
        .list();
    assertThat(ended).allMatch(run -> run.status() == RunStatus.SUCCEEDED);
    await(successor.close());
    await(another.close());
  }
}
