package dev.runlane.jobs.queue.webhook;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobOutcome;
import dev.runlane.jobs.JobRef;
import dev.runlane.jobs.JobRemoval;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.store.FetchJobs;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.ForwardingJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.webhook.JobDelivery;
import dev.runlane.jobs.webhook.JobEndFilter;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.webhook.WebhookRequest;
import dev.runlane.webhook.WebhookSignature;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Over HTTP, to a server that redirects, refuses and keeps silent. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class JobWebhookVerticleTest {
  private static final String SECRET = "0123456789-0123456789";
  private static final JobOptions AT_ONCE =
      JobOptions.builder().removeOnComplete(JobRemoval.atOnce()).build();

  private final Vertx vertx = Vertx.vertx();
  private final JobStore store = new MemoryJobStore();
  private final BlockingQueue<JsonObject> told = new LinkedBlockingQueue<>();
  private final BlockingQueue<Integer> statuses = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    await(vertx.close());
  }

  @Test
  void a_server_that_redirects_refuses_and_keeps_silent_hears_of_the_end_in_the_end() {
    statuses.addAll(List.of(302, 503, 0)); // 0: never answers
    JobWebhook webhook = webhook(receiver());
    register(webhook);
    deploy(webhook);
    String id = ended("charge", AT_ONCE, new JobOutcome.Completed(Json.ofChecked("1")));

    JsonObject first = next();
    assertThat(first.getString("path")).isEqualTo("/hook");
    assertThat(first.getString("delivery")).startsWith("all:");
    assertThat(first.getJsonObject("body").getString("type")).isEqualTo("job.completed");
    JsonObject job = first.getJsonObject("body").getJsonObject("job");
    assertThat(job.getString("id")).isEqualTo(id);
    assertThat(job.getString("queue")).isEqualTo("orders");
    for (int i = 0; i < 3; i++) {
      JsonObject again = next();
      assertThat(again.getString("delivery")).isEqualTo(first.getString("delivery"));
      assertThat(again.getJsonObject("body")).isEqualTo(first.getJsonObject("body"));
    }
  }

  @Test
  void what_is_sent_is_signed_and_names_neither_payload_nor_reason() {
    JobWebhook webhook = webhook(receiver()).states(Set.of(JobState.FAILED));
    register(webhook);
    deploy(webhook);
    ended("other", AT_ONCE, new JobOutcome.Completed(null));
    ended("charge", AT_ONCE, new JobOutcome.Failed("card 4711 was refused", "at Luck"));

    JsonObject heard = next();

    assertThat(heard.getString("signature"))
        .isEqualTo(WebhookSignature.of(
            SECRET.getBytes(StandardCharsets.UTF_8),
            heard.getString("timestamp"),
            heard.getString("text")));
    assertThat(heard.getString("text")).contains("job.failed").doesNotContain("4711", "payload");
  }

  @Test
  void states_names_and_queues_narrow_a_webhook_together_in_any_order() {
    JobWebhook all = JobWebhook.to("billing", URI.create("https://example.test/hook"), SECRET);
    Set<JobState> failed = Set.of(JobState.FAILED);

    assertThat(List.of(
            all.states(failed).names(List.of("charge")).queues(List.of("orders")),
            all.queues(List.of("orders")).names(List.of("charge")).states(failed)))
        .extracting(JobWebhook::filter)
        .containsOnly(new JobEndFilter(failed, List.of("orders"), List.of("charge")));
  }

  @Test
  void requests_are_the_golden_ones() throws Exception {
    WebhookRequest request = KeptJobEnds.request(
        JobWebhook.to("billing", URI.create("https://example.test/hook"), SECRET),
        new JobDelivery(
            "0d5f3a1e-7d1c-4b9e-9a55-0f6f8a3c2b10",
            "billing",
            new JobRef("mails", "order-7"),
            "send",
            JobState.FAILED,
            Instant.parse("2026-03-04T11:59:56.088Z"),
            Instant.parse("2026-03-04T12:00:00.123Z"),
            3,
            false,
            2),
        Instant.parse("2026-03-04T12:00:05.5Z"));

    assertThat(request.body()).isEqualTo(golden("webhook-job-failed.json"));
    assertThat(request.signature()).isEqualTo(golden("webhook-job-failed.signature"));
    assertThat(request.timestamp()).isEqualTo("1772625605");
    assertThat(request.deliveryId())
        .isEqualTo(new JsonObject(request.body()).getString("id"))
        .isEqualTo("billing:0d5f3a1e-7d1c-4b9e-9a55-0f6f8a3c2b10");
  }

  @Test
  void a_store_that_keeps_no_ends_and_impossible_options_are_refused() {
    JobStore without = new ForwardingJobStore(store) {
      @Override
      public Optional<JobWebhookStore> webhooks() {
        return Optional.empty();
      }
    };
    JobWebhook webhook = webhook(1);

    assertRefused(
        ErrorCode.CAPABILITY_UNSUPPORTED, new JobWebhookVerticle(without, List.of(webhook)));
    assertRefused(
        ErrorCode.CONFIGURATION_INVALID, new JobWebhookVerticle(store, List.of(webhook, webhook)));
    assertRefused(
        ErrorCode.CONFIGURATION_INVALID,
        new JobWebhookVerticle(
            store,
            List.of(webhook),
            new JobWebhookOptions().setClaimDuration(Duration.ofSeconds(1))));
    assertThat(webhook.toString()).doesNotContain(SECRET, "127.0.0.1");
  }

  @Test
  void options_survive_their_json_form_and_copying() {
    JobWebhookOptions options = new JobWebhookOptions()
        .setIdleDelay(Duration.ofSeconds(2))
        .setDrainTimeout(Duration.ofSeconds(3))
        .setSweepLimit(7)
        .setRequestTimeout(Duration.ofSeconds(4))
        .setClaimDuration(Duration.ofSeconds(9))
        .setGiveUpAfter(Duration.ofDays(1));

    assertThat(new JobWebhookOptions(options.toJson()).toJson()).isEqualTo(options.toJson());
    assertThat(new JobWebhookOptions(options).toJson()).isEqualTo(options.toJson());
    assertThat(options.toJson().fieldNames()).hasSize(6);
  }

  private void assertRefused(ErrorCode code, JobWebhookVerticle verticle) {
    assertThatThrownBy(() -> await(vertx.deployVerticle(verticle)))
        .isInstanceOfSatisfying(
            RunlaneException.class, refused -> assertThat(refused.code()).isEqualTo(code));
  }

  private int receiver() {
    HttpServer server = await(vertx
        .createHttpServer()
        .requestHandler(request -> request.body().onSuccess(body -> {
          Integer status = statuses.poll();
          told.add(new JsonObject()
              .put("path", request.path())
              .put("delivery", request.getHeader("runlane-delivery"))
              .put("timestamp", request.getHeader("runlane-timestamp"))
              .put("signature", request.getHeader("runlane-signature"))
              .put("text", body.toString())
              .put("body", body.toJsonObject()));
          if (status == null || status != 0) {
            request
                .response()
                .setStatusCode(status == null ? 200 : status)
                .putHeader("location", "/elsewhere")
                .end("thank you");
          }
        }))
        .listen(0, "127.0.0.1"));
    return server.actualPort();
  }

  private static JobWebhook webhook(int port) {
    return JobWebhook.to("all", URI.create("http://127.0.0.1:" + port + "/hook"), SECRET)
        .queues(List.of("orders"));
  }

  /** As an earlier process did. */
  private void register(JobWebhook webhook) {
    await(store
        .webhooks()
        .orElseThrow()
        .registerWebhooks(
            new RegisterJobWebhooks(Map.of(webhook.id(), webhook.filter()), Instant.now())));
  }

  private void deploy(JobWebhook webhook) {
    await(vertx.deployVerticle(new JobWebhookVerticle(
        store,
        List.of(webhook),
        new JobWebhookOptions()
            .setIdleDelay(Duration.ofMillis(20))
            .setRequestTimeout(Duration.ofMillis(300)))));
  }

  private String ended(String name, JobOptions options, JobOutcome outcome) {
    Instant now = Instant.now();
    await(store.saveJob(
        "orders", NewJob.of(name, Json.ofChecked("{\"payload\":1}"), options, now), now));
    JobData running = await(
            store.fetchNextJob(FetchJobs.one("orders", "worker-1", Duration.ofSeconds(30), now)))
        .orElseThrow();
    await(store.finishJob(FinishJob.of(running.lock(), outcome, now)));
    return running.id();
  }

  private JsonObject next() {
    try {
      JsonObject heard = told.poll(60, SECONDS);
      assertThat(heard).isNotNull();
      return heard;
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private static String golden(String file) throws Exception {
    try (InputStream stored = JobWebhookVerticleTest.class.getResourceAsStream("/golden/" + file)) {
      return new String(stored.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException silent) {
      throw new AssertionError(silent);
    }
  }
}
