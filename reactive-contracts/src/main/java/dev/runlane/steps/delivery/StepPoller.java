package dev.runlane.steps.delivery;

import dev.runlane.adapter.Subscription;
import dev.runlane.steps.StepListener;
import dev.runlane.steps.StepSignals;
import dev.runlane.timing.FailureLog;
import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls for tasks or results: at once while there is more, at every signal, and otherwise after pauses that
 * grow while nothing is found. A poll that fails is logged and counts as one that found nothing. While the
 * subscription to signals fails, it is tried again and polls are more frequent.
 *
 * <p>All methods are called on one context, that of the timers.
 */
public final class StepPoller {
  private static final Logger LOG = LoggerFactory.getLogger(StepPoller.class);
  private static final Duration SUBSCRIBE_AGAIN = Duration.ofSeconds(2);

  private final Timers timers;
  private final String name;
  private final Supplier<Future<PollResult>> poll;
  private final StepPauses pauses;
  private final SweepLoop loop;
  private final FailureLog failures;
  private final FailureLog subscribing;

  private Duration pause;
  private @Nullable Subscription subscription;
  private boolean stopped;

  /**
   * A poller that has not started.
   *
   * @param name names the poller in the log
   * @param poll runs one poll
   */
  public StepPoller(
      Timers timers, String name, Supplier<Future<PollResult>> poll, StepPauses pauses) {
    this.timers = timers;
    this.name = name;
    this.poll = poll;
    this.pauses = pauses;
    this.pause = pauses.shortest();
    Duration longest = pauses.longest().compareTo(pauses.longestWithSignals()) > 0
        ? pauses.longest()
        : pauses.longestWithSignals();
    this.loop = new SweepLoop(timers, name, this::sweep, longest);
    this.failures = new FailureLog(LOG, name);
    this.subscribing = new FailureLog(LOG, name + ": listening to signals");
  }

  /** The result of a poll. */
  public enum PollResult {
    /** Something, and more is waiting. */
    MORE,
    /** Something. */
    SOMETHING,
    /** Nothing, or nothing could be taken. */
    NOTHING
  }

  /**
   * Starts polling, and subscribes where there are signals.
   *
   * @param listener is to call {@link #wake()} for the signals it polls for
   */
  public void start(Optional<StepSignals> signals, StepListener listener) {
    loop.start();
    signals.ifPresent(source -> listen(source, listener));
  }

  /** Something may be available: polls at once, or as soon as the present poll ends. */
  public void wake() {
    pause = pauses.shortest();
    loop.wake();
  }

  /**
   * Something that is not there yet may come soon. Without a subscription to signals the next polls
   * come after a quarter of the shortest pause, a half of it, and so on, so that what comes waits about as long
   * again as it took, and what does not come costs a few polls.
   */
  public void pollSoon() {
    if (subscription == null) {
      pause = pauses.eager();
      loop.wakeIn(pause);
    }
  }

  /** Stops polling: completes when the poll under way has ended and no listener is called any more. */
  public Future<Void> stop() {
    stopped = true;
    Subscription listening = subscription;
    subscription = null;
    return Future.join(
            loop.stop(), listening == null ? Future.succeededFuture() : listening.close())
        .mapEmpty();
  }

  private Future<Boolean> sweep() {
    return Future.<Void>succeededFuture()
        .compose(start -> poll.get())
        .map(found -> {
          failures.succeeded();
          return scheduleNextPoll(found);
        })
        .otherwise(failure -> {
          failures.failed(failure, pause);
          return scheduleNextPoll(PollResult.NOTHING);
        });
  }

  /** Schedules the next poll; true: it comes at once. */
  private boolean scheduleNextPoll(PollResult found) {
    if (found != PollResult.NOTHING) {
      pause = pauses.shortest();
    }
    loop.wakeIn(pause);
    if (found == PollResult.NOTHING) {
      Duration longest = longestNow();
      Duration doubled = pause.multipliedBy(2);
      pause = doubled.compareTo(longest) > 0 ? longest : doubled;
    }
    return found == PollResult.MORE;
  }

  private Duration longestNow() {
    return subscription == null ? pauses.longest() : pauses.longestWithSignals();
  }

  private void listen(StepSignals source, StepListener listener) {
    source.listen(listener).onComplete(listening -> {
      if (stopped) {
        if (listening.succeeded()) {
          listening.result().close().onFailure(failure -> LOG.warn("{}: closing", name, failure));
        }
      } else if (listening.succeeded()) {
        subscribing.succeeded();
        subscription = listening.result();
        wake(); // what came before the subscription was in force
      } else {
        subscribing.failed(listening.cause(), SUBSCRIBE_AGAIN);
        timers.schedule(SUBSCRIBE_AGAIN, () -> {
          if (!stopped) {
            listen(source, listener);
          }
        });
      }
    });
  }
}
