package dev.runlane.cli;

import static dev.runlane.cli.OperatedFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.cli.terminal.Terminal;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.RunlaneRole;
import dev.runlane.runtime.alert.AlertKind;
import dev.runlane.runtime.alert.AlertRule;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.webhook.WebhookSignature;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
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
import org.subethamail.smtp.server.SMTPServer;

@DisplayName("runlane serve --alerts")
@SuppressWarnings("try") // what is started is ended, whatever is done to it meanwhile
@DisplayNameGeneration(ReplaceUnderscores.class)
class AlertsServedTest {
  private static final String SECRET = "a-secret-of-more-than-16-bytes";

  private final OperatedFleet fleet = OperatedFleet.onEmptied();

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
    lateFor("ops");
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
    await(receiver.close());
  }

  /** A run that nobody works on, and a rule that finds it. */
  private void lateFor(String channel) {
    fleet.charged(1);
    await(fleet
        .worker
        .alerts()
        .putRule(
            AlertRule.of("late", AlertKind.OLDEST_DUE, 0.001, List.of(channel)),
            null,
            RunActionOptions.by("ada")));
    await(fleet.worker.deploy(
        fleet.vertx,
        new RunlaneDeployment().setRoles(Set.of(RunlaneRole.RETENTION)))); // it counts what waits
  }

  @Test
  void tells_people_by_mail_of_what_its_rules_find() throws Exception {
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    SMTPServer server = SMTPServer.port(0)
        .bindAddress(InetAddress.getLoopbackAddress())
        .messageHandler((context, from, to, data) ->
            told.add(from + " to " + to + "\n" + new String(data, StandardCharsets.UTF_8)))
        .build();
    server.start();
    lateFor("people");
    String channels = new JsonObject()
        .put(
            "channels",
            List.of(new JsonObject()
                .put("type", "mail")
                .put("name", "people")
                .put("server", "127.0.0.1")
                .put("port", server.getPortAllocated())
                .put("tls", "none")
                .put("from", "runlane@example.org")
                .put("recipients", List.of("ops@example.org"))))
        .put("options", new JsonObject().put("every", "100ms").put("idleDelay", "50ms"))
        .encode();

    try (Started served =
        new Started(fleet.variables(), "serve", "--port", "0", "--alerts", file(channels))) {
      assertThat(served.after("Looking at the rules of alerts")).isEqualTo(", telling people");

      assertThat(told.poll(60, TimeUnit.SECONDS))
          .startsWith("runlane@example.org to ops@example.org")
          .contains("Subject: [default] opened late", "Rule: late");
      assertThat(served.interrupt()).isEqualTo(130);
    } finally {
      server.stop();
    }
  }

  @Test
  void a_file_that_cannot_be_used_is_refused_before_anything_starts_and_without_its_secrets()
      throws Exception {
    String channel =
        "{\"channels\":[{\"type\":\"%s\",\"name\":\"ops\",\"address\":\"%s\",\"secret\":\"%s\"%s}]}";
    String mail =
        "{\"channels\":[{\"type\":\"mail\",\"name\":\"ops\",\"server\":\"%s\",\"from\":\"a@example.org\","
            + "\"recipients\":[\"b@example.org\"]%s}]}";
    String password = ",\"user\":\"ann\",\"password\":\"" + SECRET + "\"";
    for (String malformed : List.of(
        mail.formatted(
            "mail.example", password + ",\"tls\":\"none\""), // would be sent in the clear
        mail.formatted("mail.example", password + ",\"tls\":\"maybe\""),
        mail.formatted("mail.example", password + ",\"port\":0"),
        mail.formatted("mail.example", password + ",\"port\":\"25\""),
        mail.formatted("mail.example", password + ",\"secret\":\"x\""),
        mail.formatted("mail.example", ",\"password\":\"" + SECRET + "\""),
        mail.formatted("mail.example", ",\"user\":\"ann\",\"password\":7"),
        mail.formatted("mail.example", "").replace("\"b@example.org\"", ""),
        mail.formatted("mail.example", "").replace("b@example.org", "Bea <b@example.org>"),
        mail.formatted("mail.example", "").replace("\"b@example.org\"", "7"),
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
