package dev.runlane.operator.alert;

import dev.runlane.run.Environment;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Claims deliveries that are due.
 *
 * @param environment scope
 * @param channels to these channels
 * @param token proof of the claim, made by the caller
 * @param now the caller's time
 * @param claimFor how long the claim lasts
 * @param limit most deliveries
 */
public record ClaimAlertDeliveries(
    Environment environment,
    List<String> channels,
    String token,
    Instant now,
    Duration claimFor,
    int limit) {
  /** Copies the list, refuses null and cuts instants to microseconds. */
  public ClaimAlertDeliveries {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(token);
    Objects.requireNonNull(claimFor);
    channels = List.copyOf(channels);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
