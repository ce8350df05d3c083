package dev.runlane.jobs.webhook;

import dev.runlane.jobs.JobTimes;
import java.time.Instant;
import java.util.Map;

/**
 * Registers the webhooks of a process.
 *
 * @param webhooks what each is notified of, by its id; none: old ones are forgotten all the same
 * @param now the caller's time
 */
public record RegisterJobWebhooks(Map<String, JobEndFilter> webhooks, Instant now) {
  /** Copies the webhooks, refuses null and cuts instants to milliseconds. */
  public RegisterJobWebhooks {
    webhooks = Map.copyOf(webhooks);
    now = JobTimes.millis(now);
  }
}
