package dev.runlane.runtime.worker;

import dev.runlane.adapter.Subscription;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.transport.DeliveryMessage;
import dev.runlane.transport.WakeupListener;
import dev.runlane.transport.WakeupSource;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Forwards wakeups of a transport that reaches this process by itself to the process's workers, as hints to
 * poll. Touched on the home context only.
 */
public final class Wakeups implements WakeupListener {
  private final RuntimeContext context;
  private int users;
  private @Nullable Future<Subscription> subscription;

  /** Listens to nothing yet. */
  public Wakeups(RuntimeContext context) {
    this.context = context;
  }

  /** Listens from the first user on; completes when wakeups arrive. */
  public Future<Void> retain() {
    users++;
    if (subscription == null) {
      WakeupSource source = context.transport().wakeups().orElse(null);
      if (source == null) {
        return Future.succeededFuture();
      }
      subscription = source.subscribe(context.environment(), this);
    }
    return subscription
        .<Void>map(listening -> {
          context.notifications().setReceivesFromOthers(users > 0);
          return null;
        })
        .onFailure(failure -> {
          users--;
          subscription = null;
        });
  }

  /** Ends with the last user. */
  public Future<Void> release() {
    users--;
    Future<Subscription> last = subscription;
    if (users > 0 || last == null) {
      return Future.succeededFuture();
    }
    subscription = null;
    context.notifications().setReceivesFromOthers(false);
    return last.compose(Subscription::close);
  }

  @Override
  public void onWakeups(List<DeliveryMessage> messages) {
    Set<String> queues = new LinkedHashSet<>();
    Instant now = context.clock().now();
    Instant latest = now;
    for (DeliveryMessage message : messages) {
      queues.add(message.queue());
      latest = message.requestedAt().isAfter(latest) ? message.requestedAt() : latest;
    }
    queues.forEach(context.notifications()::workAvailable);
    Duration ahead = Duration.between(now, latest);
    if (!ahead.isZero() && ahead.compareTo(context.options().toleratedSkew()) <= 0) {
      // The publisher's clock is ahead: by ours, its runs are due a moment later.
      context
          .timers()
          .schedule(ahead, () -> queues.forEach(context.notifications()::workAvailable));
    }
  }

  @Override
  public void onPossibleLoss() {
    context.registry().policies().forEach(policy -> context
        .notifications()
        .workAvailable(policy.queue()));
  }
}
