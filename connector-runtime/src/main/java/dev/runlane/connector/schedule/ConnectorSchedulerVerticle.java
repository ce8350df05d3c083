package dev.runlane.connector.schedule;

import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * While it is deployed, starts the runs of schedules that are due, and sends notices. Several instances, in one process
 * or many, are harmless: a schedule is decided about by one at a time.
 */
public final class ConnectorSchedulerVerticle extends VerticleBase {
  private final ConnectorScheduler scheduler;
  private final @Nullable WebhookNotices notices;
  private final Timers timers;
  private final SchedulerOptions options;
  private @Nullable SweepLoop schedules;
  private @Nullable SweepLoop sending;

  /**
   * A verticle for one deployment; the options are copied.
   *
   * @param notices sends them, or null when nobody wants to hear
   */
  public ConnectorSchedulerVerticle(
      ConnectorScheduler scheduler,
      @Nullable WebhookNotices notices,
      Timers timers,
      SchedulerOptions options) {
    this.scheduler = scheduler;
    this.notices = notices;
    this.timers = timers;
    this.options = new SchedulerOptions(options);
  }

  @Override
  public Future<?> start() {
    schedules = started("connector scheduler", scheduler::sweepOnce);
    if (notices != null) {
      sending = started("schedule notices", notices::sweepOnce);
    }
    return Future.succeededFuture();
  }

  private SweepLoop started(String name, Supplier<Future<Boolean>> sweepOnce) {
    SweepLoop loop = new SweepLoop(timers, name, sweepOnce, options.getSweep());
    loop.start();
    return loop;
  }

  @Override
  public Future<?> stop() {
    scheduler.stop();
    Future<Void> decided = Objects.requireNonNull(schedules).stop();
    return sending == null ? decided : Future.join(decided, sending.stop());
  }
}
