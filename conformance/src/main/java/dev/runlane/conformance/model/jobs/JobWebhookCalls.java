package dev.runlane.conformance.model.jobs;

import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.webhook.ClaimJobDeliveries;
import dev.runlane.jobs.webhook.FinishJobDeliveries;
import dev.runlane.jobs.webhook.JobWebhookStore;
import dev.runlane.jobs.webhook.RegisterJobWebhooks;
import io.vertx.core.Future;

/** What is said and asked about webhooks, as records: one for each method of {@link JobWebhookStore}. */
public final class JobWebhookCalls {
  private JobWebhookCalls() {}

  /** {@code registerWebhooks}. */
  public record Register(RegisterJobWebhooks command) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return of(store).registerWebhooks(command);
    }
  }

  /** {@code claimDeliveries}. */
  public record Claim(ClaimJobDeliveries command) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return of(store).claimDeliveries(command);
    }
  }

  /** {@code finishDeliveries}. */
  public record Finish(FinishJobDeliveries command) implements JobCommand {
    @Override
    public Future<?> to(JobStore store) {
      return of(store).finishDeliveries(command);
    }
  }

  private static JobWebhookStore of(JobStore store) {
    return store
        .webhooks()
        .orElseThrow(() -> new AssertionError("the store keeps no ends for webhooks"));
  }
}
