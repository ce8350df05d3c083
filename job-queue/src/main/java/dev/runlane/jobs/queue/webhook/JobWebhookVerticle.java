package dev.runlane.jobs.queue.webhook;

import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import dev.runlane.webhook.WebhookPost;
import dev.runlane.webhook.WebhookTeller;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * While it is deployed, notifies webhooks of the ends of a store's jobs, at least once each. Several instances, in
 * whichever processes, share the work; all should have the same webhooks. The store is connected before, and stays
 * its owner's. Redirects are not followed.
 */
public final class JobWebhookVerticle extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(JobWebhookVerticle.class);

  private final JobStore store;
  private final List<JobWebhook> webhooks;
  private final JobWebhookOptions options;
  private @Nullable SweepLoop loop;
  private @Nullable WebhookTeller<?> teller;
  private @Nullable WebhookPost post;

  /** A verticle for one deployment, with the default options. */
  public JobWebhookVerticle(JobStore store, List<JobWebhook> webhooks) {
    this(store, webhooks, new JobWebhookOptions());
  }

  /** A verticle for one deployment; webhooks and options are copied. */
  public JobWebhookVerticle(JobStore store, List<JobWebhook> webhooks, JobWebhookOptions options) {
    this.store = store;
    this.webhooks = List.copyOf(webhooks);
    this.options = new JobWebhookOptions(options);
  }

  /**
   * Arms the first sweep. Fails with {@code CapabilityUnsupported} where the store keeps no ends for webhooks, and with
   * {@code ConfigurationInvalid} where a webhook is given twice or a request may take more than half of a claim.
   */
  @Override
  public Future<?> start() {
    Clock clock = Clock.system();
    Timers timers = Timers.of(vertx);
    Randomness randomness = Randomness.system();
    Executor home = action -> context.runOnContext(turn -> action.run());
    KeptJobEnds ends = new KeptJobEnds(
        store
            .webhooks()
            .orElseThrow(() -> RunlaneException.of(
                ErrorCode.CAPABILITY_UNSUPPORTED, "the job store keeps no ends for webhooks")),
        webhooks,
        clock,
        home);
    WebhookTeller<?> made = new WebhookTeller<>(
        ends,
        options.limits(),
        request -> sending().send(request),
        clock,
        timers,
        randomness,
        new Ids(clock, randomness));
    post = new WebhookPost(vertx, options.getRequestTimeout(), options.limits().sweepLimit());
    teller = made;
    SweepLoop begun = new SweepLoop(
        timers, "teller of webhooks of jobs", made::sweepOnce, options.getIdleDelay());
    loop = begun;
    begun.start();
    return Future.succeededFuture();
  }

  /** Begins no further sweep, waits for the one in flight for the drain timeout at most, and closes connections. */
  @Override
  public Future<?> stop() {
    Future<?> ended = loop == null
        ? Future.succeededFuture()
        : withinDrain(loop.stop().compose(swept -> telling().settled()));
    return ended.transform(
        (stopped, failure) -> post == null ? Future.succeededFuture() : post.close());
  }

  private WebhookTeller<?> telling() {
    return Objects.requireNonNull(teller);
  }

  private WebhookPost sending() {
    return Objects.requireNonNull(post);
  }

  /** A sweep that takes longer ends unwatched. */
  private Future<Void> withinDrain(Future<Void> ended) {
    return ended
        .timeout(options.getDrainTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .otherwise(late -> {
          LOG.warn(
              "the teller of webhooks of jobs was still sweeping {} after its stop",
              options.getDrainTimeout());
          return null;
        });
  }
}
