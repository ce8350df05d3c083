package dev.runlane.runtime.sweep;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.observe.RuntimeObserver;
import dev.runlane.runtime.process.ClockMonitor;
import dev.runlane.runtime.process.CloseDeadline;
import dev.runlane.runtime.process.LocalNotifications;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.timing.Clock;
import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * A role at work: sweeps one after the other, sooner when the role knows of something due or is woken.
 * Every method is called on the context that {@code home} runs actions on.
 */
public final class RoleLoop {
  private final Clock clock;
  private final Timers timers;
  private final ClockMonitor clockMonitor;
  private final RuntimeObserver observer;
  private final CloseDeadline closeDeadline;
  private final String name;
  private final SweepRole role;
  private final SweepOptions<?> options;
  private final Executor home;
  private final SweepLoop loop;
  private List<LocalNotifications.Registration> registrations = List.of();

  /**
   * A loop that has not started.
   *
   * @param name says in log and failures whose loop it is
   * @param home runs an action on the context of this loop
   */
  public RoleLoop(
      RuntimeContext context, String name, SweepRole role, SweepOptions<?> options, Executor home) {
    clock = context.clock();
    timers = context.timers();
    clockMonitor = context.clockMonitor();
    observer = context.observer();
    closeDeadline = context.closeDeadline();
    this.name = name;
    this.role = role;
    this.options = options;
    this.home = home;
    Duration idleDelay = options.getIdleDelay();
    loop = new SweepLoop(timers, name, this::sweep, idleDelay, () -> role.pause(idleDelay));
  }

  /** Arms the first sweep for the next turn and begins to listen. */
  public void start() {
    loop.start();
    registrations = role.listen(home, loop::wakeIn);
  }

  /**
   * Begins no further sweep and completes when the one in flight has ended, and what it left under way. Fails with a
   * retryable {@code OperationCancelled} when that takes longer than the drain timeout; it then ends unwatched, as it
   * does when the runtime's close timeout is over.
   */
  public Future<Void> stop() {
    registrations.forEach(LocalNotifications.Registration::close);
    registrations = List.of();
    Duration bound = options.getDrainTimeout();
    Future<Void> stopped = closeDeadline.orExpired(loop.stop().compose(ended -> role.settled()));
    return timers.within(bound, stopped, () -> RunlaneException.of(
            ErrorCode.OPERATION_CANCELLED,
            "the %s was still sweeping %s after its stop",
            name,
            bound)
        .asRetryable());
  }

  /**
   * An adapter may answer on any thread; the loop continues where it lives. What is due by a clock that is not to be
   * trusted is left to other processes.
   */
  private Future<Boolean> sweep() {
    if (!clockMonitor.mayClaim()) {
      return Future.succeededFuture(false);
    }
    Promise<Boolean> ended = Promise.promise();
    Duration begun = timers.elapsed();
    Future.<Void>succeededFuture()
        .compose(start -> role.sweepOnce()) // what it throws is a failed sweep, and told as one
        .onComplete(result -> home.execute(() -> {
          observer.sweepEnded(name, timers.elapsed().minus(begun), result.cause());
          role.nextDue().ifPresent(due -> loop.wakeIn(Duration.between(clock.now(), due)));
          ended.handle(result);
        }));
    return ended.future();
  }
}
