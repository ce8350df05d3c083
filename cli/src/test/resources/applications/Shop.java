package shop;

import dev.runlane.lane.pgkafka.PgKafkaLane;
import dev.runlane.lane.pgkafka.PgKafkaLaneOptions;
import dev.runlane.postgres.options.PgAddress;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.ApplicationSettings;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneApplication;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.transport.kafka.KafkaConsumerOptions;
import dev.runlane.transport.kafka.KafkaQueue;
import dev.runlane.transport.kafka.KafkaTopicOptions;
import dev.runlane.transport.kafka.KafkaTransportOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;

/** A shop behind Kafka: orders, payments one at a time, a report that fails, and a queue whose topic takes nothing. */
public final class Shop implements RunlaneApplication {
  private static final TaskQueue ORDERS = TaskQueue.of("orders").asDefault();
  private static final TaskQueue PAYMENTS = TaskQueue.of("payments").concurrencyLimit(1);
  private static final TaskQueue NARROW = TaskQueue.of("narrow");

  @Override
  public Future<Runlane> runtime(Vertx vertx, ApplicationSettings settings) {
    PgKafkaLane lane = PgKafkaLane.create(
        vertx,
        new PgKafkaLaneOptions()
            .setStorage(new PgStorageOptions()
                .setConnectOptions(PgAddress.parse(settings.database().orElseThrow())))
            .setTransport(new KafkaTransportOptions()
                .setBootstrapServers(System.getenv("SHOP_KAFKA"))
                .setBrokerRequired(false)
                .setPublishTimeout(Duration.ofSeconds(2))
                .setCreateTopics(new KafkaTopicOptions().setPartitions(1))
                .setConsumer(new KafkaConsumerOptions().setGroupId("shop"))
                .addQueue(new KafkaQueue(ORDERS.policy(), "shop.orders"))
                .addQueue(new KafkaQueue(PAYMENTS.policy(), "shop.payments"))
                .addQueue(new KafkaQueue(NARROW.policy(), "shop.narrow"))));
    Task<String> ship = Task.define("ship", String.class)
        .handler((order, context) -> Future.succeededFuture(TaskResult.done()));
    Task<String> charge = Task.define("charge", String.class)
        .queue(PAYMENTS)
        .concurrencyKey(order -> "merchant")
        .handler((order, context) -> Promise.<TaskResult>promise().future());
    Task<String> report = Task.define("report", String.class)
        .retry(RetryPolicy.NONE)
        .schedule(Schedule.every("nightly", Duration.ofSeconds(2)).payload("x"))
        .handler((day, context) -> Future.failedFuture(
            RunlaneException.of(ErrorCode.TASK_FAILED, "the printer is out of paper")));
    Task<String> label = Task.define("label", String.class)
        .queue(NARROW)
        .handler((order, context) -> Future.succeededFuture(TaskResult.done()));
    return Future.succeededFuture(Runlane.builder(vertx, lane)
        .queues(List.of(ORDERS, PAYMENTS, NARROW))
        .tasks(List.of(ship, charge, report, label))
        .build());
  }
}
