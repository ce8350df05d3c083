package dev.runlane.jobs.webhook;

import dev.runlane.jobs.JobRemoval;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/**
 * Which ends of jobs webhooks are notified of, and what is left to tell: a capability beside {@link
 * dev.runlane.jobs.store.JobStore} with the same rules.
 *
 * <p><b>Ends.</b> A job ends when it becomes {@code completed} or {@code failed}, by whichever command: because its
 * hand-out was finished or stalled too often, it was failed, cancelled or updated, or a child failed. One that comes
 * back and ends again has another end, and so has one that an update takes from one of the two states to the other. A
 * job that is removed as it ends ({@link JobRemoval}) has ended all the same. Removing, draining, cleaning and
 * obliterating end nothing, but for parents that fail by it, nor does storing a job that has ended already.
 */
public interface JobWebhookStore {
  /** For how long ends are kept for a webhook that nobody registers any more = 7 days. */
  Duration KEPT = Duration.ofDays(7);

  /**
   * Says which ends webhooks are notified of, in place of what was said before. Each end whose command begins after
   * this completes and that fits has a delivery from its own transaction on, whatever is said later. A webhook that
   * nobody registers for longer than {@link #KEPT} gets no more deliveries, and is forgotten with those that are left
   * when others, or none, are registered.
   */
  Future<Void> registerWebhooks(RegisterJobWebhooks command);

  /**
   * Gives up to {@code limit} due deliveries of the webhooks to the caller, those that are due longest first:
   * each from {@link JobDelivery#endedAt()} on, from the end of its claim on, or from the time on at which it was to be
   * due again. One that somebody holds is not given before the claim ends; an end is one delivery for each webhook.
   */
  Future<List<JobDelivery>> claimDeliveries(ClaimJobDeliveries command);

  /**
   * Removes deliveries or makes them due again. Of those that the token does not hold any more, nothing changes:
   * because somebody else has claimed them since, or they were finished. A claim that has ended holds until then.
   */
  Future<Void> finishDeliveries(FinishJobDeliveries command);
}
