package dev.runlane.cli;

import static dev.runlane.cli.OperatedFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.cli.terminal.Terminal;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.RunlaneRole;
import dev.runlane.runtime.alert.AlertKind;
import dev.runlane.runtime.alert.AlertRule;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.webhook.WebhookSignature;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("runlane serve --alerts")
@SuppressWarnings("try") // what is started is ended, whatever is done to it meanwhile
@DisplayNameGeneration(ReplaceUnderscores.class)
class AlertsServedTest {
  private static final String SECRET = "a-secret-of-more-than-16-bytes";

  private final OperatedFleet fleet = new OperatedFleet();

  @TempDir
  private Path folder;

  @AfterEach
  void end() {
    fleet.close();
  }

  private String file(String json) throws IOException {
    return Files.writeString(folder.resolve("alerts.json"), json).toString();
  }

  private Printed refused(String json) throws IOException {
    return fleet.runlane("serve", "--port", "0", "--alerts", file(json));
  }

  @Test
  void tells_a_webhook_of_what_its_rules_find() throws Exception {
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    HttpServer receiver = await(fleet
        .vertx
        .createHttpServer()
        .requestHandler(request -> request.body().onSuccess(body -> {
          String signature = WebhookSignature.of(
              SECRET.getBytes(StandardCharsets.UTF_8),
              request.getHeader("runlane-timestamp"),
              body.toString());
          assertThat(request.getHeader("runlane-signature")).isEqualTo(signature);
          told.add(body.toString());
          request.response().end();
        }))
        .listen(0, "127.0.0.1"));
    fleet.charged(1); // which nobody works on
    await(fleet
        .worker
        .alerts()
        .putRule(
            AlertRule.of("late", AlertKind.OLDEST_DUE, 0.001, List.of("ops")),
            null,
            RunActionOptions.by("ada")));
    await(fleet.worker.deploy(
        fleet.vertx,
        new RunlaneDeployment().setRoles(Set.of(RunlaneRole.RETENTION)))); // it counts what waits
    String channels = new JsonObject()
        .put(
            "channels",
            List.of(new JsonObject()
                .put("type", "webhook")
                .put("name", "ops")
                .put("address", "http://127.0.0.1:" + receiver.actualPort() + "/alerts")
                .put("secret", SECRET)))
        .put("options", new JsonObject().put("every", "100ms").put("idleDelay", "50ms"))
        .encode();

    try (Started served =
        new Started(fleet.variables(), "serve", "--port", "0", "--alerts", file(channels))) {
      assertThat(served.after("Looking at the rules of alerts")).isEqualTo(", telling ops");
      served.after("API at ");

      assertThat(told.poll(60, TimeUnit.SECONDS)).contains("late");
      assertThat(served.interrupt()).isEqualTo(130);
      assertThat(served.out() + served.err()).doesNotContain(SECRET);
    }
  }

  @Test
  void a_file_that_cannot_be_used_is_refused_before_anything_starts_and_without_its_secrets()
      throws Exception {
    String channel =
        "{\"channels\":[{\"type\":\"%s\",\"name\":\"ops\",\"address\":\"%s\",\"secret\":\"%s\"%s}]}";
    for (String malformed : List.of(
        "[]",
        "no json",
        "{}",
        "{\"channels\":[1]}",
        "{\"channels\":[],\"options\":7}",
        "{\"channels\":[],\"option\":{}}",
        "{\"channels\":[],\"options\":{\"never\":1}}",
        channel.formatted("pigeon", "http://x.example", SECRET, ""),
        channel.formatted("webhook", "x.example", SECRET, ""),
        channel.formatted("webhook", "http://x y", SECRET, ""),
        channel.formatted("webhook", "http://x.example", "short", ""),
        channel.formatted("webhook", "http://x.example", SECRET, ",\"more\":1"))) {
      Printed refused = refused(malformed);
      assertThat(refused.exitCode()).as(malformed).isEqualTo(2);
      assertThat(refused.err()).startsWith("runlane: --alerts").doesNotContain(SECRET);
    }
    assertThat(Printed.by(fleet.variables(), Terminal.NONE, "serve", "--alerts", "/none")
            .exitCode())
        .isEqualTo(2);
  }
}
