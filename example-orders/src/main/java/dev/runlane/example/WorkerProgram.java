package dev.runlane.example;

import dev.runlane.lane.pgkafka.PgKafkaLane;
import dev.runlane.runtime.RunlaneDeployment;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One worker process behind Kafka, with every role. Its argument is its name. Standard input begins with a
 * line that says where the others are; its end stops the worker, and comes with the end of the program that
 * started it, too.
 */
public final class WorkerProgram {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private WorkerProgram() {}

  /** Ends the JVM: with 0 when it was stopped, with 1 when it could not start. */
  public static void main(String[] arguments) {
    int code = 0;
    try (BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      run(arguments[0], input);
    } catch (IOException | TimeoutException | RuntimeException failure) {
      failure.printStackTrace();
      code = 1;
    }
    System.exit(code);
  }

  private static void run(String name, BufferedReader input) throws IOException, TimeoutException {
    KafkaSetting setting = KafkaSetting.fromJson(new JsonObject(input.readLine()));
    Vertx vertx = Vertx.vertx();
    PgKafkaLane lane = setting.lane(vertx);
    Shop shop = Shop.over(vertx, lane);
    RunlaneDeployment roles = Shop.everything();
    roles.setWorker(roles.getWorker().setWorkerId(name));
    try {
      await(shop.start().compose(started -> shop.open(roles)));
      while (input.readLine() != null) {
        // Only the end means something.
      }
    } finally {
      await(shop.close());
    }
    System.out.println(
        name + " executed " + lane.transport().deliveryCounts().executed() + " wakeups");
  }

  private static void await(Future<?> future) throws TimeoutException {
    future.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }
}
