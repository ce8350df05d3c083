package dev.runlane.operator.alert;

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
public record FinishAlertDeliveries(Environment environment, String token, List<Outcome> outcomes) {
  /** Copies the outcomes and refuses null. */
  public FinishAlertDeliveries {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(token);
    outcomes = List.copyOf(outcomes);
  }

  /**
   * What became of one.
   *
   * @param alertId the alert
   * @param channel whom to tell
   * @param change what happened
   * @param retryAt due again then; null: it is done with
   */
  public record Outcome(
      String alertId,
      String channel,
      AlertChange change,
      @Nullable Instant retryAt) {
    /** Refuses null and cuts the instant to microseconds. */
    public Outcome {
      Objects.requireNonNull(alertId);
      Objects.requireNonNull(channel);
      Objects.requireNonNull(change);
      retryAt = retryAt == null ? null : retryAt.truncatedTo(ChronoUnit.MICROS);
    }
  }
}
