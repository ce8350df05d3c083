package dev.runlane.drills.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.webhook.WebhookSignature;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Each end is told at least once, under one id, whoever dies between the end, the request and its answer. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WebhookDrillTest {
  private static final boolean FULL = Boolean.getBoolean("drills.full");
  private static final int RUNS = FULL ? 10_000 : 200;
  private static final int KILLS = FULL ? 25 : 2;
  private static final int PROCESSES = FULL ? 3 : 2;
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration BOUND = Duration.ofMinutes(5);
  private static final String LEFT = "SELECT count(*) FROM runlane.webhook_deliveries";
  private static final String ENDS =
      "SELECT run_id, status FROM runlane.terminal_runs JOIN runlane.environments USING (env)"
          + " WHERE environment_key = ?";

  private final long seed = Long.getLong("drills.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Map<String, Told> told = new ConcurrentHashMap<>(); // by run
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final List<String> wrong = new ArrayList<>(); // on the receiver's event loop
  private final List<JavaProcess> processes = new ArrayList<>();
  private int forked;

  private record Told(String deliveryId, String status) {}

  @Test
  void each_end_is_told_at_least_once_while_those_who_tell_are_killed() throws Exception {
    System.out.println("webhook drill: " + RUNS + " runs, -Ddrills.seed=" + seed);
    Drill.run("webhook", LEASE, drill -> {
      Vertx vertx = Vertx.vertx();
      Runlane caller = EndsProgram.runtime(vertx, drill.target());
      try {
        String address = "http://127.0.0.1:" + receiver(vertx).actualPort() + "/ends";
        for (int process = 0; process < PROCESSES; process++) {
          start(drill, address);
        }
        processes.forEach(drill::awaitReady);
        Await.result(caller.start());
        trigger(caller);
        for (int kill = 1; kill <= KILLS; kill++) {
          awaitTold(RUNS * kill / (KILLS + 1));
          processes.remove(random.nextInt(processes.size())).kill();
          start(drill, address);
        }
        awaitTold(RUNS);
        Await.until("nothing is left to tell", BOUND, () -> drill.database().number(LEFT) == 0);
      } finally {
        Await.result(caller.close());
        Await.result(vertx.close());
      }
      check(drill);
    });
  }

  private void check(Drill drill) {
    Map<String, String> ends = new ConcurrentHashMap<>();
    drill
        .database()
        .rows(
            ENDS,
            row -> ends.put(row.getString(1), row.getString(2)) == null,
            drill.target().environment());
    assertThat(wrong).isEmpty();
    assertThat(ends).hasSize(RUNS);
    assertThat(told.keySet()).isEqualTo(ends.keySet());
    assertThat(told).allSatisfy((run, end) -> assertThat(end.status()).isEqualTo(ends.get(run)));
    assertThat(Set.copyOf(ends.values())).containsExactlyInAnyOrder("succeeded", "failed");
    assertThat(refused).as("requests that the receiver refused").hasPositiveValue();
    drill.report(RUNS + " ends told in " + requests.get() + " requests, " + refused.get()
        + " of them refused, " + KILLS + " tellers killed");
  }

  private void start(Drill drill, String address) {
    String name = "teller-" + forked++;
    processes.add(drill.fork(name, EndsProgram.class, Drill.with(drill.target(), name, address)));
  }

  private static void trigger(Runlane caller) {
    List<Integer> all = IntStream.range(0, RUNS).boxed().toList();
    for (int from = 0; from < RUNS; from += 1_000) {
      Await.result(caller.triggerAll(
          EndsProgram.TASK, all.subList(from, Math.min(from + 1_000, RUNS)), new TriggerOptions()));
    }
  }

  private void awaitTold(int runs) {
    Await.until(runs + " ends were told", BOUND, () -> told.size() >= runs);
  }

  private HttpServer receiver(Vertx vertx) {
    return Await.result(
        vertx.createHttpServer().requestHandler(this::receive).listen(0, "127.0.0.1"));
  }

  /** Takes most ends; refuses some, and takes some without ever answering, as one that dies meanwhile does. */
  private void receive(HttpServerRequest request) {
    request.body().onSuccess(body -> {
      int number = requests.incrementAndGet();
      String text = body.toString();
      String signature = WebhookSignature.of(
          EndsProgram.SECRET.getBytes(StandardCharsets.UTF_8),
          request.getHeader("runlane-timestamp"),
          text);
      if (!signature.equals(request.getHeader("runlane-signature"))) {
        wrong.add("a signature is wrong");
      }
      if (number % 20 == 0) {
        refused.incrementAndGet();
        request.response().setStatusCode(503).end();
        return;
      }
      JsonObject run = new JsonObject(text).getJsonObject("run");
      Told end = new Told(request.getHeader("runlane-delivery"), run.getString("status"));
      Told before = told.putIfAbsent(run.getString("id"), end);
      if (before != null && !before.equals(end)) {
        wrong.add("run " + run.getString("id") + " was told as " + before + " and as " + end);
      }
      if (number % 50 != 1) {
        request.response().end();
      }
    });
  }
}
