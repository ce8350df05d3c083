package dev.runlane.drills.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.run.Json;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.webhook.WebhookSignature;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
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
  private static final int ENDS_OF_ALL = 2 * RUNS; // of as many jobs as runs
  private static final int KILLS = FULL ? 25 : 1;
  private static final int PROCESSES = FULL ? 3 : 2;
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final Duration BOUND = Duration.ofMinutes(5);
  private static final String LEFT = "SELECT (SELECT count(*) FROM runlane.webhook_deliveries)"
      + " + (SELECT count(*) FROM runlane.job_webhook_deliveries)";

  /** Made behind the webhooks: ends are told from then on. */
  private static final String WATCHED =
      "SELECT count(*) FROM pg_trigger WHERE tgname IN ('webhook_ends', 'jobs_ended')";

  private static final String JOBS = "SELECT count(*) FROM runlane.jobs";
  private static final String RUN_ENDS =
      "SELECT run_id, status FROM runlane.terminal_runs JOIN runlane.environments USING (env)"
          + " WHERE environment_key = ?";

  private static final JobOptions KEPT = JobOptions.builder().maxStalls(100).build();
  private static final JobOptions GONE = KEPT.toBuilder()
      .removeOnComplete(JobRemoval.atOnce())
      .removeOnFail(JobRemoval.atOnce())
      .build();

  private final long seed = Long.getLong("drills.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Map<String, Told> told = new ConcurrentHashMap<>(); // by run or job
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final List<String> wrong = new ArrayList<>(); // on the receiver's event loop
  private final List<JavaProcess> processes = new ArrayList<>();
  private int forked;

  private record Told(String deliveryId, String status) {}

  @Test
  void each_end_is_told_at_least_once_while_those_who_tell_are_killed() throws Exception {
    System.out.println("webhook drill: " + RUNS + " runs and as many jobs, -Ddrills.seed=" + seed);
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
        Await.until("webhooks are known", BOUND, () -> drill.database().number(WATCHED) == 2);
        trigger(caller);
        addJobs(vertx, drill);
        for (int kill = 1; kill <= KILLS; kill++) {
          awaitTold(ENDS_OF_ALL * kill / (KILLS + 1));
          processes.remove(random.nextInt(processes.size())).kill();
          start(drill, address);
        }
        awaitTold(ENDS_OF_ALL);
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
            RUN_ENDS,
            row -> ends.put("run " + row.getString(1), row.getString(2)) == null,
            drill.target().environment());
    assertThat(wrong).isEmpty();
    assertThat(ends).hasSize(RUNS);
    assertThat(Set.copyOf(ends.values())).containsExactlyInAnyOrder("succeeded", "failed");
    for (int job = 0; job < RUNS; job++) {
      ends.put("job " + job, job % 3 == 0 ? "failed" : "completed");
    }
    assertThat(told.keySet()).isEqualTo(ends.keySet());
    assertThat(told).allSatisfy((run, end) -> assertThat(end.status()).isEqualTo(ends.get(run)));
    assertThat(drill.database().number(JOBS)).as("jobs that stay").isEqualTo(RUNS / 2);
    assertThat(refused).as("requests that the receiver refused").hasPositiveValue();
    drill.report(ENDS_OF_ALL + " ends told in " + requests.get() + " requests, " + refused.get()
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

  /** Every other job goes as it ends; none is given up because its worker was killed. */
  private static void addJobs(Vertx vertx, Drill drill) {
    PgJobStore store = EndsProgram.store(vertx, drill.target());
    Await.result(store.connect());
    Instant now = Instant.now();
    for (int from = 0; from < RUNS; from += 1_000) {
      List<NewJob> jobs = IntStream.range(from, Math.min(from + 1_000, RUNS))
          .mapToObj(number -> NewJob.of(
                  "end", Json.ofChecked(String.valueOf(number)), number % 2 == 0 ? KEPT : GONE, now)
              .withId(String.valueOf(number)))
          .toList();
      Await.result(store.saveJobs(EndsProgram.QUEUE, jobs, now));
    }
    Await.result(store.disconnect());
  }

  private void awaitTold(int ends) {
    Await.until(ends + " ends were told", BOUND, () -> told.size() >= ends);
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
      JsonObject said = new JsonObject(text);
      JsonObject run = said.getJsonObject("run");
      JsonObject job = said.getJsonObject("job");
      String who = run == null ? "job " + job.getString("id") : "run " + run.getString("id");
      Told end = new Told(
          request.getHeader("runlane-delivery"),
          run == null ? job.getString("state") : run.getString("status"));
      Told before = told.putIfAbsent(who, end);
      if (before != null && !before.equals(end)) {
        wrong.add(who + " was told as " + before + " and as " + end);
      }
      if (number % 50 != 1) {
        request.response().end();
      }
    });
  }
}
