package dev.runlane.runtime;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.conformance.kit.BlockedLoops;
import dev.runlane.lane.pgkafka.PgKafkaLane;
import dev.runlane.lane.pgkafka.PgKafkaLaneOptions;
import dev.runlane.operator.process.TopicLag;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunReducer;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.testinfra.kafka.EmbeddedKafka;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.transport.IgnoredReason;
import dev.runlane.transport.kafka.KafkaConsumerOptions;
import dev.runlane.transport.kafka.KafkaDeliveryCounts;
import dev.runlane.transport.kafka.KafkaQueue;
import dev.runlane.transport.kafka.KafkaTopicOptions;
import dev.runlane.transport.kafka.KafkaTransportOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Several processes that share the work behind a real Kafka, on one real Postgres. */
@Tag("slow")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class KafkaTest {
  /** Not the one that tests share: the last of these kills it. */
  private static final EmbeddedKafka BROKER = EmbeddedKafka.builder().start();

  private static final PostgresAddress DATABASE =
      PostgresServers.shared().createDatabase("runtime_kafka");
  private static final AtomicInteger SCHEMAS = new AtomicInteger();
  private static final TaskQueue DEFAULT = TaskQueue.of("default").asDefault();
  private static final Duration SOON = Duration.ofSeconds(90);

  private final BlockedLoops blocked = new BlockedLoops();
  private final Vertx vertx = blocked.watched();
  private final String topic = "runtime-" + UUID.randomUUID();
  private final Map<Runlane, PgKafkaLane> processes = new LinkedHashMap<>();
  private final PgStorageOptions storage = new PgStorageOptions()
      .setSchema("kafka_" + SCHEMAS.incrementAndGet())
      .setConnectOptions(PgConnectOptions.fromUri(DATABASE.toUri()))
      .setPoolOptions(new PoolOptions().setMaxSize(4));

  @AfterAll
  static void closeBroker() {
    BROKER.close();
  }

  @AfterEach
  void stop() {
    processes.keySet().forEach(process -> await(process.close()));
    await(vertx.close());
    blocked.assertNone();
  }

  private KafkaTransportOptions kafka(String servers) {
    return new KafkaTransportOptions()
        .setBootstrapServers(servers)
        .addQueue(new KafkaQueue(DEFAULT.policy(), topic))
        .setCreateTopics(new KafkaTopicOptions().setPartitions(6))
        .setPublishTimeout(Duration.ofSeconds(3))
        .setConsumer(new KafkaConsumerOptions().setGroupId(topic));
  }

  private Runlane process(KafkaTransportOptions kafka, Task<?>... tasks) {
    PgKafkaLane lane =
        PgKafkaLane.create(vertx, new PgKafkaLaneOptions().setStorage(storage).setTransport(kafka));
    Runlane runlane =
        Runlane.builder(vertx, lane).queue(DEFAULT).tasks(List.of(tasks)).build();
    processes.put(runlane, lane);
    return runlane;
  }

  private Runlane process(Task<?>... tasks) {
    return process(kafka(BROKER.bootstrapServers()), tasks);
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(120, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  private void until(String what, BooleanSupplier condition) {
    until(() -> what, condition);
  }

  private void until(Supplier<String> what, BooleanSupplier condition) {
    for (int tries = 0; tries < 600; tries++) {
      if (condition.getAsBoolean()) {
        return;
      }
      await(vertx.timer(100, TimeUnit.MILLISECONDS).mapEmpty());
    }
    throw new AssertionError("never happened: " + what.get());
  }

  private List<RunRecord> ended(Runlane runlane, List<TriggerResult> triggered) {
    return await(Future.all(triggered.stream()
            .map(each -> runlane.awaitRun(each.run().id(), SOON))
            .toList()))
        .list();
  }

  private KafkaDeliveryCounts counts(Runlane process) {
    return processes.get(process).transport().deliveryCounts();
  }

  /** Each attempt has one outcome, and history makes the projection. */
  private static List<RunEvent> assertReplays(Runlane runlane, RunRecord run) {
    List<RunEvent> events = await(runlane.runs().events(run.id())).data().stream()
        .map(RunEventRecord::event)
        .toList();
    assertThat(RunReducer.projectRunEvents(null, 0, events)).isEqualTo(run);
    return events;
  }

  private static List<Integer> numbers(int count) {
    return IntStream.range(0, count).boxed().toList();
  }

  @Test
  void one_call_deploys_a_process_whose_consumers_share_the_work_with_others() {
    Task<Integer> task = Task.define("double", Integer.class)
        .handler((number, context) ->
            vertx.timer(5, TimeUnit.MILLISECONDS).map(fired -> TaskResult.done(2 * number)));
    Runlane producer = process(task);
    Runlane first = process(task);
    Runlane second = process(task);
    await(producer.start());
    await(first.deploy(vertx, new RunlaneDeployment()));
    await(second.deploy(vertx, new RunlaneDeployment().setConsumerInstances(2)));

    List<RunRecord> runs = new ArrayList<>();
    until("both have taken part", () -> {
      runs.addAll(
          ended(producer, await(producer.triggerAll(task, numbers(100), new TriggerOptions()))));
      return counts(first).executed() > 0 && counts(second).executed() > 0;
    });

    assertThat(runs).allMatch(run -> run.status() == RunStatus.SUCCEEDED);
    assertThat(runs).allMatch(run -> run.counters().attempts() == 1);
    assertReplays(producer, runs.get(0));
    until(
        "both tell which partitions they have, and that nothing is left",
        () -> isSharedBy(2, producer)
            && await(producer.operator().topicLags()).stream().allMatch(lag -> lag.records() == 0));
  }

  /** Whether so many processes have told that all partitions are theirs. */
  private boolean isSharedBy(int consumers, Runlane producer) {
    List<TopicLag> topics = await(producer.operator().topicLags());
    return topics.size() == 1
        && topics.get(0).topic().equals(topic)
        && topics.get(0).partitions().size() == 6
        && topics.get(0).partitions().stream()
                .map(TopicLag.Partition::processId)
                .distinct()
                .count()
            == consumers;
  }

  @Test
  void doubled_reordered_and_late_wakeups_change_nothing_but_counters() {
    AtomicInteger calls = new AtomicInteger();
    Task<Integer> task = Task.define("once", Integer.class).handler((number, context) -> {
      calls.incrementAndGet();
      return vertx.timer(3, TimeUnit.MILLISECONDS).map(fired -> TaskResult.done());
    });
    Runlane producer = process(task);
    await(producer.start());
    List<TriggerResult> triggered =
        await(producer.triggerAll(task, numbers(100), new TriggerOptions()));
    List<String> disorder = new ArrayList<>();
    triggered.forEach(each -> {
      disorder.add(each.run().id());
      disorder.add(each.run().id());
      disorder.add("run_nobody_knows_" + each.run().id());
    });
    long seed = 20_260_101;
    Collections.shuffle(disorder, new Random(seed));
    inject(disorder);
    Runlane worker = process(task);
    await(worker.deploy(vertx, new RunlaneDeployment()));

    List<RunRecord> runs = ended(producer, triggered);
    inject(disorder); // late: everything has ended
    until(() -> "all wakeups are dealt with, seed " + seed + ", " + counts(worker), () -> {
      KafkaDeliveryCounts counts = counts(worker);
      // More than were sent where the machine is slow: what was not begun soon is asked for again.
      return counts.executed() + counts.ignoredTotal() >= 100 + 2 * disorder.size()
          && counts.ignored().getOrDefault(IgnoredReason.NOT_FOUND, 0L) >= 200;
    });

    assertThat(calls).hasValue(100);
    assertThat(runs).allSatisfy(run -> {
      assertThat(run.status()).isEqualTo(RunStatus.SUCCEEDED);
      assertThat(run.counters().attempts()).isEqualTo(1);
      assertThat(await(producer.runs().get(run.id()))).contains(run);
      assertReplays(producer, run);
    });
    KafkaDeliveryCounts counts = counts(worker);
    assertThat(counts.executed()).isLessThanOrEqualTo(100);
    assertThat(counts.failed()).isZero();
    assertThat(counts.deadLettered()).isZero();
  }

  private void inject(List<String> runIds) {
    List<java.util.concurrent.Future<RecordMetadata>> sent = new ArrayList<>();
    try (KafkaProducer<String, String> producer = new KafkaProducer<>(
        Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, BROKER.bootstrapServers()),
        new StringSerializer(),
        new StringSerializer())) {
      runIds.forEach(runId -> sent.add(producer.send(new ProducerRecord<>(
          topic,
          runId,
          "{\"v\":1,\"environment\":\"default\",\"runId\":\"" + runId
              + "\",\"queue\":\"default\",\"requestedAt\":\"2026-01-01T00:00:00Z\"}"))));
      producer.flush();
    }
    assertThat(sent).as("records that the broker took").allSatisfy(each -> assertThat(each)
        .succeedsWithin(Duration.ofSeconds(1)));
  }

  @Order(Integer.MAX_VALUE)
  @Tag("drill")
  @Test
  void with_kafka_gone_for_good_the_safety_net_completes_the_work() {
    Task<Integer> task = Task.define("double", Integer.class)
        .retry(RetryPolicy.attempts(3))
        .handler((number, context) -> context.attempt() == 1 && number % 10 == 0
            ? Future.failedFuture(new IllegalStateException("first try"))
            : Future.succeededFuture(TaskResult.done(2 * number)));
    Runlane process = process(task);
    await(process.deploy(
        vertx,
        new RunlaneDeployment()
            .setWorker(new WorkerOptions().setPollInterval(Duration.ofMillis(500)))));
    ended(process, List.of(await(process.trigger(task, 1))));

    BROKER.kill();
    List<TriggerResult> triggered =
        await(process.triggerAll(task, numbers(100), new TriggerOptions()));

    assertThat(ended(process, triggered)).allMatch(run -> run.status() == RunStatus.SUCCEEDED);
    assertThat(await(process.runs().explain(triggered.get(0).run().id()))).isNotNull();
  }

  @Test
  void a_process_can_start_while_kafka_is_gone_and_works_all_the_same() {
    Task<Integer> task = Task.define("double", Integer.class)
        .handler((number, context) -> Future.succeededFuture(TaskResult.done(2 * number)));
    Runlane process = process(
        kafka("localhost:1").setBrokerRequired(false).setStartTimeout(Duration.ofSeconds(1)), task);
    await(process.deploy(
        vertx,
        new RunlaneDeployment()
            .setWorker(new WorkerOptions().setPollInterval(Duration.ofMillis(200)))));

    assertThat(ended(process, List.of(await(process.trigger(task, 1)))))
        .allMatch(run -> run.status() == RunStatus.SUCCEEDED);
  }

  @Test
  void a_rolling_restart_under_load_loses_no_attempt() {
    Task<Integer> task = Task.define("patient", Integer.class).handler((number, context) -> context
        .untilSignalled(vertx.timer(250, TimeUnit.MILLISECONDS).mapEmpty())
        .map(waited -> TaskResult.done()));
    RunlaneDeployment roles =
        new RunlaneDeployment().setWorker(new WorkerOptions().setConcurrency(8));
    Runlane producer = process(task);
    await(producer.start());
    List<Runlane> fleet = new ArrayList<>();
    for (int number = 0; number < 3; number++) {
      fleet.add(process(task));
      await(fleet.get(number).deploy(vertx, roles));
    }
    until("each has partitions", () -> isSharedBy(3, producer));
    List<TriggerResult> triggered =
        await(producer.triggerAll(task, numbers(400), new TriggerOptions()));

    for (Runlane old : fleet) {
      until("it is at work", () -> counts(old).executed() > 0);
      await(old.close());
      await(process(task).deploy(vertx, roles));
    }

    List<RunRecord> runs = ended(producer, triggered);
    assertThat(runs).allMatch(run -> run.status() == RunStatus.SUCCEEDED);
    assertThat(runs)
        .as("attempts that nobody wrote an end of")
        .allMatch(run -> run.counters().lostAttempts(1) == 0);
    runs.stream()
        .filter(run -> run.counters().releases() > 0)
        .limit(20)
        .forEach(run -> assertReplays(producer, run));
  }

  @Test
  void a_queue_without_a_binding_or_with_another_policy_is_refused_when_the_runtime_is_built() {
    PgKafkaLane lane = PgKafkaLane.create(
        vertx,
        new PgKafkaLaneOptions()
            .setStorage(storage)
            .setTransport(kafka(BROKER.bootstrapServers())));

    for (TaskQueue wrong :
        List.of(TaskQueue.of("other"), TaskQueue.of("default").concurrencyLimit(3))) {
      assertThatThrownBy(() -> Runlane.builder(vertx, lane).queue(wrong).build())
          .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
              .isEqualTo(ErrorCode.CONFIGURATION_INVALID));
    }
  }

  /** Wakeups of bounded queues come from reservations; the limit holds over all processes. */
  @Test
  void a_bounded_queue_keeps_its_limit_behind_kafka() {
    TaskQueue bounded = TaskQueue.of("bounded").concurrencyLimit(2);
    AtomicInteger underWay = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Task<Integer> task = Task.define("bounded", Integer.class)
        .queue(bounded)
        .handler((number, context) -> {
          most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
          Promise<TaskResult> end = Promise.promise();
          vertx.setTimer(5, fired -> {
            underWay.decrementAndGet();
            end.complete(TaskResult.done());
          });
          return end.future();
        });
    KafkaTransportOptions kafka = kafka(BROKER.bootstrapServers())
        .addQueue(new KafkaQueue(bounded.policy(), topic + "-bounded"));
    List<Runlane> fleet = new ArrayList<>();
    for (int number = 0; number < 2; number++) {
      PgKafkaLane lane = PgKafkaLane.create(
          vertx, new PgKafkaLaneOptions().setStorage(storage).setTransport(kafka));
      Runlane runlane = Runlane.builder(vertx, lane)
          .queues(List.of(DEFAULT, bounded))
          .task(task)
          .build();
      processes.put(runlane, lane);
      fleet.add(runlane);
      await(runlane.deploy(vertx, new RunlaneDeployment()));
    }

    List<RunRecord> runs = ended(
        fleet.get(0), await(fleet.get(0).triggerAll(task, numbers(40), new TriggerOptions())));

    assertThat(runs).allMatch(run -> run.status() == RunStatus.SUCCEEDED);
    assertThat(most.get()).isLessThanOrEqualTo(2);
  }
}
