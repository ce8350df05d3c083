package dev.runlane.runtime.webhook;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.operator.webhook.RegisterWebhooks;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.memory.MemoryLane;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Over HTTP, to a server that redirects and keeps silent. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WebhookVerticleTest {
  private final Vertx vertx = Vertx.vertx();
  private final Task<String> task = Task.define("charge", String.class)
      .handler((payload, context) -> Future.succeededFuture(TaskResult.done()));
  private final Runlane runlane = Runlane.builder(vertx, MemoryLane.create())
      .queue(TaskQueue.of("payments").asDefault())
      .task(task)
      .build();
  private final BlockingQueue<JsonObject> told = new LinkedBlockingQueue<>();
  private final BlockingQueue<Integer> statuses = new LinkedBlockingQueue<>();
  private int port;

  @AfterEach
  void close() {
    await(runlane.close());
    await(vertx.close());
  }

  @Test
  void a_server_that_redirects_and_keeps_silent_hears_of_the_end_in_the_end() {
    statuses.addAll(List.of(302, 0)); // 0: never answers
    begin(new WebhookOptions()
        .setIdleDelay(Duration.ofMillis(20))
        .setRequestTimeout(Duration.ofMillis(300)));
    RunRecord run = await(
            runlane.trigger(task, "x", new TriggerOptions().setTags(Map.of("customer", "acme"))))
        .run();
    await(runlane.runs().cancel(run.id(), RunActionOptions.by("anna")));

    for (int i = 0; i < 3; i++) {
      JsonObject heard = next();
      assertThat(heard.getString("delivery")).isEqualTo("all:" + run.id());
      assertThat(heard.getString("path")).isEqualTo("/hook");
      assertThat(heard.getString("signature")).startsWith("v1=");
      assertThat(heard.getJsonObject("body").getString("type")).isEqualTo("run.cancelled");
      assertThat(heard.getJsonObject("body").getJsonObject("run").getJsonObject("tags"))
          .isEqualTo(new JsonObject().put("customer", "acme"));
    }
  }

  private void begin(WebhookOptions options) {
    HttpServer server = await(vertx
        .createHttpServer()
        .requestHandler(request -> request.body().onSuccess(body -> {
          Integer status = statuses.poll();
          told.add(new JsonObject()
              .put("path", request.path())
              .put("delivery", request.getHeader("runlane-delivery"))
              .put("signature", request.getHeader("runlane-signature"))
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
    port = server.actualPort();
    await(runlane.start());
    Webhook webhook = Webhook.to(
            "all", URI.create("http://127.0.0.1:" + port + "/hook"), "0123456789-0123456789")
        .tag("customer", "acme");
    await(
        runlane // as an earlier process did
            .lane()
            .storage()
            .operator()
            .orElseThrow()
            .registerWebhooks(new RegisterWebhooks(
                runlane.environment(), Map.of(webhook.id(), webhook.filter()), Instant.now())));
    await(vertx.deployVerticle(new WebhookVerticle(runlane, List.of(webhook), options)));
  }

  private JsonObject next() {
    JsonObject heard = poll(60);
    assertThat(heard).isNotNull();
    return heard;
  }

  private JsonObject poll(int seconds) {
    try {
      return told.poll(seconds, SECONDS);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
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
