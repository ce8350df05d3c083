package dev.runlane.jobs.webhook;

import dev.runlane.jobs.JobTimes;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says what became of claimed deliveries.
 *
 * @param token proof of the claim
 * @param outcomes of each delivery, each once
 */
public record FinishJobDeliveries(String token, List<Outcome> outcomes) {
  /** Copies the outcomes and refuses null. */
  public FinishJobDeliveries {
    Objects.requireNonNull(token);
    outcomes = List.copyOf(outcomes);
  }

  /**
   * What became of one.
   *
   * @param deliveryId {@link JobDelivery#id()}
   * @param retryAt due again then; null: it is done with
   */
  public record Outcome(String deliveryId, @Nullable Instant retryAt) {
    /** Refuses null and cuts the instant to milliseconds. */
    public Outcome {
      Objects.requireNonNull(deliveryId);
      retryAt = JobTimes.millisOrNull(retryAt);
    }
  }
}
