package dev.runlane.runtime.webhook;

import static dev.runlane.runtime.MaintenanceFleet.await;
import static dev.runlane.runtime.MaintenanceFleet.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.MaintenanceFleet;
import dev.runlane.runtime.ScriptedStorage;
import dev.runlane.webhook.Receivers;
import dev.runlane.webhook.WebhookRequest;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Each end is told at least once, whatever the receiver and the processes do. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WebhookSenderTest {
  private static final String SECRET = "0123456789-0123456789";
  private static final Webhook ALL =
      Webhook.to("all", URI.create("https://example.test/hook?key=k"), SECRET);
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final MaintenanceFleet fleet = new MaintenanceFleet();
  private final List<WebhookRequest> requests = new ArrayList<>();
  private Future<Integer> answer = Future.succeededFuture(204);

  @Test
  void an_end_is_told_once_and_signed() throws Exception {
    WebhookSender sender = sender(fleet.process(), ALL);
    sweep(sender);
    RunRecord run = ended("run_1");

    sweep(sender, sender);
    fleet.advance(Duration.ofDays(1));
    sweep(sender);

    assertThat(requests).hasSize(1);
    WebhookRequest request = requests.get(0);
    JsonObject body = new JsonObject(request.body());
    assertThat(body.getString("id")).isEqualTo("all:run_1").isEqualTo(request.deliveryId());
    assertThat(body.getString("type")).isEqualTo("run.succeeded");
    assertThat(body.getJsonObject("run").getString("taskId")).isEqualTo(run.taskId());
    assertThat(request.body()).doesNotContain("payload", "hello");
    assertThat(request.signature())
        .isEqualTo("v1=" + hmac(request.timestamp() + "." + request.body()));
    assertThat(request.timestamp()).isEqualTo(String.valueOf(run.updatedAt().getEpochSecond()));
  }

  @Test
  void the_end_of_a_run_that_cannot_be_read_is_told_by_its_id_and_keeps_back_no_other() {
    MaintenanceFleet.Process process = fleet.process();
    WebhookSender sender = sender(process, ALL);
    sweep(sender);
    ended("run_1");
    ended("run_2");
    process.storage.makeUnreadable("run_1");

    sweep(sender);

    assertThat(
            requests.stream().map(request -> new JsonObject(request.body()).getJsonObject("run")))
        .extracting(run -> run.getString("id") + " " + run.getString("queue"))
        .containsExactlyInAnyOrder("run_1 null", "run_2 " + MaintenanceFleet.QUEUE.name());
  }

  @Test
  void what_ended_before_the_first_sweep_is_not_told_and_a_filter_holds() {
    ended("run_before");
    WebhookSender sender = sender(fleet.process(), ALL.statuses(Set.of(RunStatus.FAILED)));
    sweep(sender);
    ended("run_succeeded");

    sweep(sender);

    assertThat(requests).isEmpty();
  }

  @Test
  void a_receiver_that_fails_is_told_again_later_and_later_under_the_same_id() {
    WebhookSender sender = sender(fleet.process(), ALL);
    sweep(sender);
    ended("run_1");
    answer = Future.succeededFuture(503);

    sweep(sender, sender);
    assertThat(requests).hasSize(1);
    for (int second = 0; second < 60; second++) {
      fleet.advance(Duration.ofSeconds(1));
      sweep(sender);
    }
    assertThat(requests.size()).isBetween(4, 8);
    answer = Future.failedFuture("connection refused");
    fleet.advance(MINUTE.multipliedBy(2));
    sweep(sender);
    int tries = requests.size();
    answer = Future.succeededFuture(200);
    fleet.advance(Duration.ofHours(2));
    sweep(sender);
    fleet.advance(Duration.ofHours(2));
    sweep(sender);

    assertThat(requests).hasSize(tries + 1);
    assertThat(requests).extracting(WebhookRequest::deliveryId).containsOnly("all:run_1");
  }

  @Test
  void nobody_waits_behind_a_receiver_that_is_silent() {
    Webhook silent = Webhook.to("silent", URI.create("https://silent.test/hook"), SECRET);
    List<String> told = new ArrayList<>();
    WebhookSender sender = new WebhookSender(
        fleet.process().context(),
        List.of(silent, ALL),
        new WebhookOptions().setSweepLimit(4),
        request -> {
          if (request.address().equals(URI.create("https://silent.test/hook"))) {
            return Promise.<Integer>promise().future();
          }
          told.add(request.deliveryId());
          return Future.succeededFuture(200);
        });
    sweep(sender);
    for (int run = 1; run <= 9; run++) {
      ended("run_" + run);
    }

    Future<Boolean> first = sender.sweepOnce(); // the silent one has a part of it
    fleet.advance(Receivers.PATIENCE);
    await(first);
    sweep(sender, sender, sender);

    assertThat(told).hasSize(9).doesNotHaveDuplicates();
    assertThat(sender.settled().isComplete()).isFalse();
  }

  @Test
  void it_is_given_up_after_a_while() {
    WebhookSender sender = sender(fleet.process(), ALL);
    sweep(sender);
    ended("run_1");
    answer = Future.succeededFuture(500);

    for (int hour = 0; hour < 24 * 5; hour++) {
      fleet.advance(Duration.ofHours(1));
      sweep(sender);
    }
    int tries = requests.size();
    fleet.advance(Duration.ofDays(2));
    sweep(sender);

    assertThat(tries).isBetween(20, 75);
    assertThat(requests).hasSize(tries);
  }

  @Test
  void an_end_that_is_told_of_late_is_told_again_when_that_fails() {
    MaintenanceFleet.Process early = fleet.process();
    sweep(sender(early, ALL));
    ended("run_1");
    fleet.advance(Duration.ofDays(6)); // no process told
    WebhookSender sender = sender(fleet.process(), ALL);
    answer = Future.succeededFuture(503);
    sweep(sender);
    answer = Future.succeededFuture(200);
    fleet.advance(MINUTE);

    sweep(sender, sender);

    assertThat(requests).hasSize(2);
  }

  @Test
  void an_end_is_told_although_the_webhooks_cannot_be_registered_again() {
    MaintenanceFleet.Process process = fleet.process();
    WebhookSender sender = sender(process, ALL);
    sweep(sender);
    ended("run_1");
    fleet.advance(MINUTE.multipliedBy(2));
    process.storage.failNext("registerWebhooks", ScriptedStorage.outage());

    sweep(sender);

    assertThat(requests).hasSize(1);
  }

  @Test
  void webhooks_are_registered_again_after_the_clocks_were_set_back() {
    MaintenanceFleet.Process process = fleet.process();
    WebhookSender sender = sender(process, ALL);
    sweep(sender);
    AtomicInteger again = new AtomicInteger();
    process.storage.beforeNext("registerWebhooks", again::incrementAndGet);
    fleet.clock.advance(Duration.ofHours(-1));
    fleet.advance(MINUTE);

    sweep(sender);

    assertThat(again).hasValue(1);
  }

  @Test
  void whenever_a_process_is_killed_another_one_tells() {
    for (int call = 1; call < 30; call++) {
      MaintenanceFleet killed = new MaintenanceFleet();
      List<WebhookRequest> told = new ArrayList<>();
      MaintenanceFleet.Process first = killed.process();
      first.storage.killBefore(call);
      WebhookSender dying = sender(first, told, ALL);
      WebhookSender other = sender(killed.process(), told, ALL);
      await(other.sweepOnce());
      killed.succeed(killed.start(killed.create("run_1", MaintenanceFleet.QUEUE).id()));

      dying.sweepOnce();
      killed.advance(MINUTE);
      await(other.sweepOnce());
      killed.advance(MINUTE);
      await(other.sweepOnce());

      assertThat(told).as("killed before call %d", call).isNotEmpty().hasSizeLessThanOrEqualTo(2);
      assertThat(told).extracting(WebhookRequest::deliveryId).containsOnly("all:run_1");
      if (!first.storage.isDead()) {
        return;
      }
    }
    throw new AssertionError("the sweep has more calls than this test knows");
  }

  @Test
  void two_processes_share_the_work() {
    WebhookSender one = sender(fleet.process(), ALL);
    WebhookSender two = sender(fleet.process(), ALL);
    sweep(one, two);
    for (int i = 0; i < 10; i++) {
      ended("run_" + i);
    }

    sweep(one, two, one, two);

    assertThat(requests)
        .extracting(WebhookRequest::deliveryId)
        .doesNotHaveDuplicates()
        .hasSize(10);
  }

  @Test
  void a_storage_that_is_away_loses_nothing() {
    MaintenanceFleet.Process process = fleet.process();
    WebhookSender sender = sender(process, ALL);
    sweep(sender);
    ended("run_1");
    process.storage.failNext("finishWebhookDeliveries", ScriptedStorage.outage());

    assertThat(failure(sender.sweepOnce())).hasMessageContaining("is down");
    fleet.advance(MINUTE.plusSeconds(1));
    sweep(sender);
    fleet.advance(MINUTE.plusSeconds(1));
    sweep(sender);

    assertThat(requests).hasSize(2);
  }

  @Test
  void what_cannot_be_a_webhook_is_refused_and_no_text_of_one_tells_its_secret() {
    assertThat(ALL.toString()).doesNotContain(SECRET, "example.test", "key");
    assertRefused(() -> Webhook.to("short", URI.create("https://example.test"), "secret"));
    assertRefused(() -> Webhook.to("user", URI.create("https://me:pw@example.test"), SECRET));
    assertRefused(() -> Webhook.to("file", URI.create("file:///etc/passwd"), SECRET));
    assertRefused(() -> Webhook.to("a:b", URI.create("https://example.test"), SECRET));
    assertRefused(() -> sender(fleet.process(), ALL, ALL));
    assertRefused(() -> new WebhookSender(
        fleet.process().context(),
        List.of(ALL),
        new WebhookOptions().setClaimDuration(Duration.ofSeconds(5)),
        request -> answer));
  }

  private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(RunlaneException.class, refused -> assertThat(refused.code())
            .isEqualTo(ErrorCode.CONFIGURATION_INVALID))
        .message()
        .doesNotContain(SECRET);
  }

  private WebhookSender sender(MaintenanceFleet.Process process, Webhook... webhooks) {
    return new WebhookSender(
        process.context(), List.of(webhooks), new WebhookOptions(), request -> {
          requests.add(request);
          return answer;
        });
  }

  private static WebhookSender sender(
      MaintenanceFleet.Process process, List<WebhookRequest> told, Webhook webhook) {
    return new WebhookSender(process.context(), List.of(webhook), new WebhookOptions(), request -> {
      told.add(request);
      return Future.succeededFuture(200);
    });
  }

  private static void sweep(WebhookSender... senders) {
    for (WebhookSender sender : senders) {
      await(sender.sweepOnce());
    }
  }

  private RunRecord ended(String runId) {
    fleet.create(runId, MaintenanceFleet.QUEUE);
    return fleet.succeed(fleet.start(runId));
  }

  private static String hmac(String text) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
  }
}
