package dev.runlane.operator.webhook;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says what became of claimed deliveries.
 *
 * @param environment scope
 * @param token proof of the claim
 * @param outcomes of each delivery, each once
 */
public record FinishWebhookDeliveries(
    Environment environment, String token, List<Outcome> outcomes) {
  /** Copies the outcomes and refuses null. */
  public FinishWebhookDeliveries {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(token);
    outcomes = List.copyOf(outcomes);
  }

  /**
   * What became of one.
   *
   * @param webhookId whom to tell
   * @param runId the run
   * @param retryAt due again then; null: it is done with
   */
  public record Outcome(
      String webhookId, String runId, @Nullable Instant retryAt) {
    /** Refuses null and cuts the instant to microseconds. */
    public Outcome {
      Objects.requireNonNull(webhookId);
      Objects.requireNonNull(runId);
      retryAt = retryAt == null ? null : retryAt.truncatedTo(ChronoUnit.MICROS);
    }
  }
}
