package dev.runlane.connector.schedule;

import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * While it is deployed, starts the runs of schedules that are due, sends notices, and deletes what is old enough.
 * Several instances, in one process or many, are harmless: a schedule is decided about by one at a time.
 */
public final class ConnectorSchedulerVerticle extends VerticleBase {
  private final ConnectorScheduler scheduler;
  private final @Nullable WebhookNotices notices;
  private final @Nullable ConnectorRetention retention;
  private final Timers timers;
  private final SchedulerOptions options;
  private final BooleanSupplier mayAct;
  private final List<SweepLoop> loops = new ArrayList<>();

  /**
   * A verticle for one deployment, in a process whose clock is believed; the options are copied.
   *
   * @param scheduler of this verticle alone
   * @param notices sends them, or null when nobody wants to hear
   * @param retention deletes what is old, or null to keep everything, notices that nobody sends too
   */
  public ConnectorSchedulerVerticle(
      ConnectorScheduler scheduler,
      @Nullable WebhookNotices notices,
      @Nullable ConnectorRetention retention,
      Timers timers,
      SchedulerOptions options) {
    this(scheduler, notices, retention, timers, options, () -> true);
  }

  /**
   * The same for a process that watches its clock.
   *
   * @param mayAct whether the clock that is gone by is right, such as {@code () -> runlane.clock().agrees()}: while it
   *     is not, nothing is launched, sent or deleted here, as schedules would be due and data old that are not
   */
  public ConnectorSchedulerVerticle(
      ConnectorScheduler scheduler,
      @Nullable WebhookNotices notices,
      @Nullable ConnectorRetention retention,
      Timers timers,
      SchedulerOptions options,
      BooleanSupplier mayAct) {
    this.scheduler = scheduler;
    this.notices = notices;
    this.retention = retention;
    this.timers = timers;
    this.options = new SchedulerOptions(options);
    this.mayAct = mayAct;
  }

  @Override
  public Future<?> start() {
    begin("connector scheduler", scheduler::sweepOnce, options.getSweep());
    if (notices != null) {
      begin("schedule notices", notices::sweepOnce, options.getSweep());
    }
    if (retention != null) {
      begin("connector retention", retention::sweepOnce, retention.pause());
    }
    return Future.succeededFuture();
  }

  private void begin(String name, Supplier<Future<Boolean>> sweepOnce, Duration idleDelay) {
    SweepLoop loop = new SweepLoop(
        timers,
        name,
        () -> mayAct.getAsBoolean() ? sweepOnce.get() : Future.succeededFuture(false),
        idleDelay);
    loops.add(loop);
    loop.start();
  }

  /** Starts nothing more, and waits for what has begun as long as the drain timeout says. */
  @Override
  public Future<?> stop() {
    List<Future<Void>> ends = new ArrayList<>();
    ends.add(scheduler.stop());
    loops.forEach(loop -> ends.add(loop.stop()));
    return Future.join(ends).timeout(options.getDrainTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }
}
