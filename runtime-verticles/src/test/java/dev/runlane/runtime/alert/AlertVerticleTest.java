package dev.runlane.runtime.alert;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.operator.alert.Alert;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.process.SignOfLife;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.storage.memory.MemoryLane;
import dev.runlane.webhook.WebhookSignature;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** A rule, what it finds, and a server that is told of it over HTTP. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class AlertVerticleTest {
  private static final String SECRET = "0123456789-0123456789";
  private static final RunActionOptions ANNA = RunActionOptions.by("anna");

  private final Vertx vertx = Vertx.vertx();
  private final Runlane runlane =
      Runlane.builder(vertx, MemoryLane.create()).operatorOnly().build();
  private final BlockingQueue<JsonObject> told = new LinkedBlockingQueue<>();
  private final BlockingQueue<Integer> statuses = new LinkedBlockingQueue<>();

  @AfterEach
  void close() {
    await(runlane.close());
    await(vertx.close());
  }

  @Test
  void a_channel_that_refuses_first_is_told_of_an_alert_and_of_its_end() {
    statuses.add(500);
    goneProcess("lost");
    await(runlane
        .alerts()
        .putRule(AlertRule.of("gone", AlertKind.WORKER_GONE, 1, List.of("pager")), 0L, ANNA));
    begin();

    JsonObject refused = next();
    JsonObject opened = next();

    assertThat(opened.getString("delivery")).isEqualTo(refused.getString("delivery"));
    assertThat(opened.getString("signature"))
        .isEqualTo(WebhookSignature.of(
            SECRET.getBytes(StandardCharsets.UTF_8),
            opened.getString("timestamp"),
            opened.getString("body")));
    JsonObject body = new JsonObject(opened.getString("body"));
    assertThat(body.getString("type")).isEqualTo("alert.opened");
    assertThat(body.getJsonObject("alert").getString("subject")).isEqualTo("lost");
    assertThat(body.getJsonObject("alert").getString("text")).contains("with 3 runs");
    assertThat(await(runlane.alerts().lastPass()).orElseThrow().channels())
        .containsExactly("pager");

    assertThat(await(runlane.alerts().removeRule("gone", ANNA))).isTrue();

    assertThat(new JsonObject(next().getString("body")).getString("type"))
        .isEqualTo("alert.resolved");
    Alert alert = await(runlane.alerts().list(null, null, null, null)).data().get(0);
    assertThat(alert.isOpen()).isFalse();
  }

  @Test
  void a_silenced_rule_opens_alerts_and_tells_them_when_the_silence_is_over() {
    goneProcess("lost");
    await(runlane
        .alerts()
        .putRule(
            AlertRule.of("gone", AlertKind.WORKER_GONE, 1, List.of("pager"))
                .silencedUntil(Instant.now().plusSeconds(3_600)),
            null,
            ANNA));
    goneProcess("other");
    await(runlane
        .alerts()
        .putRule(AlertRule.of("loud", AlertKind.WORKER_GONE, 1, List.of("pager")), null, ANNA));
    begin();

    List.of(next(), next()).forEach(each -> assertThat(rule(each)).isEqualTo("loud"));
    assertThat(await(runlane.alerts().list("gone", true, null, null)).data()).hasSize(2);

    assertThat(await(runlane.alerts().silence("gone", null, ANNA))).contains(2L);

    List.of(next(), next()).forEach(each -> assertThat(rule(each)).isEqualTo("gone"));
  }

  @Test
  void a_channel_whose_verticle_ended_is_told_by_the_next_one() {
    AlertChannel pager = pager();
    String first = begin(pager);
    await(runlane.alerts().sendTest("pager", ANNA));
    assertThat(rule(next())).isNotBlank();
    await(vertx.undeploy(first));
    told.clear();

    begin(pager);
    String alert = await(runlane.alerts().sendTest("pager", ANNA));

    assertThat(Stream.generate(this::next).anyMatch(heard -> of(heard).equals(alert)))
        .isTrue();
  }

  private static String of(JsonObject heard) {
    return new JsonObject(heard.getString("body")).getJsonObject("alert").getString("id");
  }

  @Test
  void a_channel_without_a_secret_or_given_twice_is_refused() {
    URI address = URI.create("http://127.0.0.1:1/");
    assertThat(failure(() -> WebhookChannel.to("pager", address, "short")))
        .isEqualTo(ErrorCode.CONFIGURATION_INVALID);
    AlertChannel pager = WebhookChannel.to("pager", address, SECRET);
    assertThat(pager.toString()).doesNotContain(SECRET, "127.0.0.1");
    assertThat(failure(
            () -> await(vertx.deployVerticle(new AlertVerticle(runlane, List.of(pager, pager))))))
        .isEqualTo(ErrorCode.CONFIGURATION_INVALID);
  }

  @Test
  void every_channel_is_closed_though_one_throws_and_another_never_answers() {
    Promise<Void> closed = Promise.promise();
    await(runlane.start());
    String verticle = await(vertx.deployVerticle(new AlertVerticle(
        runlane,
        List.of(
            new Closing("throws", () -> {
              throw new IllegalStateException("broken channel");
            }),
            new Closing("silent", () -> Promise.<Void>promise().future()),
            new Closing("sound", () -> {
              closed.complete();
              return Future.succeededFuture();
            })),
        new AlertOptions().setDrainTimeout(Duration.ofMillis(200)))));

    await(vertx.undeploy(verticle));

    await(closed.future());
    assertThat(vertx.deploymentIDs()).isEmpty();
  }

  private record Closing(String name, Supplier<Future<Void>> closing) implements AlertChannel {
    @Override
    public Future<Void> tell(Vertx vertx, AlertNotice notice) {
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> close() {
      return closing.get();
    }
  }

  private static ErrorCode failure(Runnable work) {
    try {
      work.run();
      throw new AssertionError("it was not refused");
    } catch (RunlaneException refused) {
      return refused.code();
    }
  }

  private static String rule(JsonObject heard) {
    return new JsonObject(heard.getString("body")).getJsonObject("alert").getString("rule");
  }

  private void goneProcess(String id) {
    Instant minuteAgo = Instant.now().minusSeconds(60);
    await(runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .signOfLife(new SignOfLife(
            runlane.environment(),
            new RuntimeProcess(
                id,
                "machine",
                "1",
                List.of(),
                List.of("mail"),
                List.of(),
                List.of(),
                4,
                3,
                Duration.ofSeconds(30),
                minuteAgo),
            minuteAgo)));
  }

  private void begin() {
    begin(pager());
  }

  private String begin(AlertChannel channel) {
    await(runlane.start());
    return await(vertx.deployVerticle(new AlertVerticle(
        runlane,
        List.of(channel),
        new AlertOptions().setIdleDelay(Duration.ofMillis(20)).setEvery(Duration.ofMillis(100)))));
  }

  private AlertChannel pager() {
    int port = await(vertx
            .createHttpServer()
            .requestHandler(request -> request.body().onSuccess(body -> {
              Integer status = statuses.poll();
              told.add(new JsonObject()
                  .put("delivery", request.getHeader("runlane-delivery"))
                  .put("timestamp", request.getHeader("runlane-timestamp"))
                  .put("signature", request.getHeader("runlane-signature"))
                  .put("body", body.toString()));
              request.response().setStatusCode(status == null ? 200 : status).end();
            }))
            .listen(0, "127.0.0.1"))
        .actualPort();
    return WebhookChannel.to("pager", URI.create("http://127.0.0.1:" + port + "/"), SECRET);
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

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException silent) {
      throw new AssertionError(silent);
    }
  }
}
