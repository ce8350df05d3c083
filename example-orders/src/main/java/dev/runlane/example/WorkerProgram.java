package dev.runlane.example;

import dev.runlane.lane.pgkafka.PgKafkaLane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.host.RunlaneOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One worker process behind Kafka, with every role. Its argument is its name. Standard input begins with a
 * line that says where the others are; its end stops the worker, and comes with the end of the program that
 * started it, too. So does a SIGTERM; in both cases what is under way is handed back.
 */
public final class WorkerProgram {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** How long Ctrl-C waits at most: what the runtime's close promises. */
  private static final Duration CLOSE_PATIENCE =
      RunlaneOptions.DEFAULT_CLOSE_TIMEOUT.plusSeconds(2);

  private WorkerProgram() {}

  /** Ends the JVM: with 0 when it was stopped, with 1 when it could not start. */
  public static void main(String[] arguments) {
    Interruption interruption = Interruption.listen(CLOSE_PATIENCE);
    int code = 0;
    try {
      run(arguments[0], interruption);
    } catch (IOException | TimeoutException | RuntimeException failure) {
      failure.printStackTrace();
      code = 1;
    }
    interruption.ended();
    System.exit(code);
  }

  private static void run(String name, Interruption interruption)
      throws IOException, TimeoutException {
    // Never closed: that would wait for whoever reads it.
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    KafkaSetting setting = KafkaSetting.fromJson(new JsonObject(input.readLine()));
    Vertx vertx = Vertx.vertx();
    PgKafkaLane lane = setting.lane(vertx);
    Shop shop = Shop.over(vertx, lane);
    RunlaneDeployment roles = Shop.everything();
    roles.setWorker(roles.getWorker().setWorkerId(name));
    try {
      await(shop.start().compose(started -> shop.open(roles)));
      CompletableFuture<Void> left = CompletableFuture.runAsync(() -> readToEnd(input));
      CompletableFuture.anyOf(left, interruption.requested()).join();
    } finally {
      await(shop.close());
    }
    System.out.println(
        name + " executed " + lane.transport().deliveryCounts().executed() + " wakeups");
  }

  /** Only the end means something, and a broken pipe is one too. */
  private static void readToEnd(BufferedReader input) {
    input.lines().forEach(ignored -> {});
  }

  private static void await(Future<?> future) throws TimeoutException {
    future.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }
}
