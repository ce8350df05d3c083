package dev.runlane.runtime.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.json.record.RunRecordJson;
import dev.runlane.operator.webhook.WebhookDelivery;
import dev.runlane.run.Environment;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunStatus;
import dev.runlane.webhook.WebhookRequest;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What receivers of every release were sent, byte for byte. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WebhookRequestTest {
  private static final Webhook WEBHOOK =
      Webhook.to("billing", URI.create("https://example.test/hook"), "0123456789-0123456789");
  private static final Instant NOW = Instant.parse("2026-03-04T12:00:05.5Z");

  @Test
  void the_request_of_a_failed_run_is_the_golden_file() throws IOException {
    WebhookRequest request =
        request(RunStatus.FAILED, RunRecordJson.read(Json.ofChecked(golden("failed-run.json"))));

    assertThat(request.body()).isEqualTo(golden("webhook-failed.json"));
    assertThat(request.deliveryId()).isEqualTo("billing:run_7");
    assertThat(request.timestamp()).isEqualTo("1772625605");
    assertThat(request.signature()).isEqualTo(golden("webhook-failed.signature"));
  }

  @Test
  void the_request_of_a_run_that_was_removed_since_is_the_golden_file() throws IOException {
    assertThat(request(RunStatus.SUCCEEDED, null).body()).isEqualTo(golden("webhook-removed.json"));
  }

  private static WebhookRequest request(RunStatus status, @Nullable RunRecord run) {
    return KeptRunEnds.request(
        WEBHOOK,
        new Environment("production"),
        new WebhookDelivery(
            "billing", "run_7", status, Instant.parse("2026-03-04T12:00:00.123457Z"), 2),
        run,
        run == null ? Map.of() : Map.of("customer", "ada"),
        NOW);
  }

  private static String golden(String file) throws IOException {
    try (InputStream stored = WebhookRequestTest.class.getResourceAsStream("/golden/" + file)) {
      return new String(stored.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }
}
