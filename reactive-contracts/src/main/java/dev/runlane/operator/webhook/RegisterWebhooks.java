package dev.runlane.operator.webhook;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;

/**
 * Registers the webhooks of a process.
 *
 * @param environment scope
 * @param webhooks what each is notified of, by its id; none: old ones are forgotten all the same
 * @param now the caller's time
 */
public record RegisterWebhooks(
    Environment environment, Map<String, EndFilter> webhooks, Instant now) {
  /** Copies the webhooks, refuses null and cuts instants to microseconds. */
  public RegisterWebhooks {
    Objects.requireNonNull(environment);
    webhooks = Map.copyOf(webhooks);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
