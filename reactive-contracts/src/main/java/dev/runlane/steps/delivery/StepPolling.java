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
 * Looks for tasks or results again and again: at once while there is more, at every signal, and otherwise
 * after pauses that grow while nothing is found. A look that fails is logged and counts as one that found
 * nothing. While signals cannot be had, it asks for them again and polls more often.
 *
 * <p>All methods are called on one context, that of the timers.
 */
public final class StepPolling {
  private static final Logger LOG = LoggerFactory.getLogger(StepPolling.class);
  private static final Duration SUBSCRIBE_AGAIN = Duration.ofSeconds(2);

  private final Timers timers;
  private final String name;
  private final Supplier<Future<Found>> look;
  private final StepPauses pauses;
  private final SweepLoop loop;
  private final FailureLog failures;
  private final FailureLog subscribing;

  private Duration pause;
  private @Nullable Subscription subscription;
  private boolean stopped;

  /**
   * A polling that has not started.
   *
   * @param name says in the log who polls
   * @param look one look
   */
  public StepPolling(Timers timers, String name, Supplier<Future<Found>> look, StepPauses pauses) {
    this.timers = timers;
    this.name = name;
    this.look = look;
    this.pauses = pauses;
    this.pause = pauses.shortest();
    Duration longest = pauses.longest().compareTo(pauses.longestWithSignals()) > 0
        ? pauses.longest()
        : pauses.longestWithSignals();
    this.loop = new SweepLoop(timers, name, this::sweep, longest);
    this.failures = new FailureLog(LOG, name);
    this.subscribing = new FailureLog(LOG, name + ": listening to signals");
  }

  /** What a look found. */
  public enum Found {
    /** Something, and more is waiting. */
    MORE,
    /** Something. */
    SOMETHING,
    /** Nothing, or nothing could be taken. */
    NOTHING
  }

  /**
   * Begins to look, and to listen where there are signals.
   *
   * @param listener is to call {@link #nudge()} for the signals it looks for
   */
  public void start(Optional<StepSignals> signals, StepListener listener) {
    loop.start();
    signals.ifPresent(source -> listen(source, listener));
  }

  /** Something may be there: looks at once, or as soon as the present look ends. */
  public void nudge() {
    pause = pauses.shortest();
    loop.nudge();
  }

  /**
   * Something that is not there yet may come soon. While signals are heard they tell. Without them the next looks
   * come after a quarter of the shortest pause, a half of it, and so on, so that what comes waits about as long
   * again as it took, and what does not come costs a few looks.
   */
  public void expect() {
    if (subscription == null) {
      pause = pauses.eager();
      loop.wakeIn(pause);
    }
  }

  /** Ends it: completes when the look under way has ended and no listener is called any more. */
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
        .compose(start -> look.get())
        .map(found -> {
          failures.succeeded();
          return lookAgainAfter(found);
        })
        .otherwise(failure -> {
          failures.failed(failure, pause);
          return lookAgainAfter(Found.NOTHING);
        });
  }

  /** Arms the next look; true: it comes at once. */
  private boolean lookAgainAfter(Found found) {
    if (found != Found.NOTHING) {
      pause = pauses.shortest();
    }
    loop.wakeIn(pause);
    if (found == Found.NOTHING) {
      Duration longest = longestNow();
      Duration doubled = pause.multipliedBy(2);
      pause = doubled.compareTo(longest) > 0 ? longest : doubled;
    }
    return found == Found.MORE;
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
        nudge(); // what came before the subscription was in force
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
