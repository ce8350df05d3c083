package dev.runlane.runtime.process;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.storage.StorageClock;
import dev.runlane.timing.Clock;
import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares this process's clock with the storage's, and says whether the process may take leases and claims. A process
 * that is ahead takes leases from workers that live; one that is behind makes leases that are over for others: both
 * take nothing until their clock agrees again.
 *
 * <p>A measurement is the quickest of several readings, each of them good to half its round trip; one that took longer
 * than the tolerated difference says nothing, like one that failed, and while there is none the storage is asked every
 * second. Between measurements the storage's time continues by the timers of this
 * process, so a clock that jumps is noticed at once, before anything is claimed by it.
 *
 * <p>Started and stopped on the home context; {@link #mayClaim} is for any thread.
 */
public final class ClockMonitor {
  private static final Logger LOG = LoggerFactory.getLogger(ClockMonitor.class);
  private static final int READINGS = 5;
  private static final Duration PERIOD = Duration.ofMinutes(1);
  private static final Duration WHILE_OFF = Duration.ofSeconds(1);
  private static final Duration FIRST = Duration.ofSeconds(2);

  private final @Nullable StorageClock storage;
  private final Clock clock;
  private final RuntimeHost host;
  private final Duration tolerated;
  private final Duration toleratedBehind;
  private volatile @Nullable Reading agreed; // the last measurement
  private volatile boolean measuredAhead; // by more than is tolerated, when that was
  private volatile boolean off; // as it was logged
  private @Nullable Future<Void> measuring;
  private @Nullable SweepLoop loop;

  public ClockMonitor(
      Optional<StorageClock> storage, Clock clock, RuntimeHost host, Duration tolerated) {
    this.storage = storage.orElse(null);
    this.clock = clock;
    this.host = host;
    this.tolerated = tolerated;
    toleratedBehind = tolerated.negated();
  }

  /** Measures from now on; completes with the first measurement, or when that takes too long. Never fails. */
  public Future<Void> start() {
    if (storage == null || loop != null) {
      return Future.succeededFuture();
    }
    Timers timers = host.timers();
    Future<Void> first = measure().otherwiseEmpty();
    loop = new SweepLoop(timers, "clock watch", () -> measure().map(false), PERIOD);
    loop.start();
    return timers
        .within(
            FIRST,
            first,
            () -> RunlaneException.of(
                ErrorCode.OPERATION_CANCELLED, "the storage's clock was not read in time"))
        .otherwiseEmpty();
  }

  public void stop() {
    if (loop != null) {
      loop.stop();
      loop = null;
    }
  }

  /** Whether the clocks agree, as far as is known. */
  public boolean mayClaim() {
    boolean agree = !isOff(ahead());
    if (agree == off) {
      host.execute(this::report);
    }
    return agree;
  }

  /** Fails with a retryable {@code OperationCancelled} while the clocks do not agree. */
  public Future<Void> requireAgreement() {
    return mayClaim()
        ? Future.succeededFuture()
        : Future.failedFuture(RunlaneException.of(
                ErrorCode.OPERATION_CANCELLED,
                "this process's clock is %s the storage's, so it claims nothing",
                difference(ahead()))
            .asRetryable());
  }

  /** How far this process's clock is ahead of the storage's, as far as is known. */
  public Duration ahead() {
    Reading known = agreed;
    return known == null
        ? Duration.ZERO
        : Duration.between(known.storageTimeAt(host.timers().elapsed()), clock.now());
  }

  /**
   * What time it is for what this process writes: that of its own clock, unless a measurement has found it ahead by
   * more than is tolerated. Then it is the storage's: what is written by such a clock would keep runs from everybody
   * long after the clock is mended. A clock that is behind is believed, since what is written by it is due for others.
   * Any thread.
   */
  public Instant eventTime() {
    Instant now = clock.now();
    Reading known = agreed;
    if (mayClaim() || !measuredAhead || known == null) {
      return now;
    }
    Instant storageTime =
        known.storageTimeAt(host.timers().elapsed()).truncatedTo(ChronoUnit.MICROS);
    return storageTime.isBefore(now) ? storageTime : now;
  }

  private void take(Reading reading) {
    agreed = reading;
    measuredAhead = ahead().compareTo(tolerated) > 0;
    report();
  }

  private void report() {
    Duration ahead = ahead();
    boolean isOff = isOff(ahead);
    if (isOff && !off) {
      LOG.error(
          "this process's clock is {} the storage's, more than the {} that leases bear: it claims nothing until that is"
              + " mended",
          difference(ahead),
          tolerated);
      measureSoon();
    } else if (!isOff && off) {
      LOG.info("this process's clock agrees with the storage's again");
    }
    off = isOff;
  }

  /** Asked before each sweep and claim: without the arithmetic of {@link Duration#abs()}. */
  private boolean isOff(Duration ahead) {
    return ahead.compareTo(tolerated) > 0 || ahead.compareTo(toleratedBehind) < 0;
  }

  private void measureSoon() {
    if (loop != null) {
      loop.wakeIn(WHILE_OFF);
    }
  }

  /** Reads the storage's clock a few times; whoever asks meanwhile shares what is found. On the home context. */
  public Future<Void> measure() {
    StorageClock from = storage;
    if (from == null) {
      return Future.succeededFuture();
    }
    Future<Void> underWay = measuring;
    if (underWay != null && !underWay.isComplete()) {
      return underWay;
    }
    Future<Void> begun = best(from, READINGS, null).map(best -> {
      if (best != null) {
        take(best);
      }
      return (Void) null;
    });
    measuring = begun;
    return begun.onComplete(done -> {
      if (off || agreed == null) {
        host.defer(this::measureSoon); // after the sweep that this may be, one that failed too
      }
    });
  }

  /** One reading after the other, so that they share a connection that is open. Fails where each of them failed. */
  private Future<@Nullable Reading> best(StorageClock from, int left, @Nullable Reading soFar) {
    if (left == 0) {
      return Future.succeededFuture(soFar);
    }
    Timers timers = host.timers();
    Duration asked = timers.elapsed();
    return from.now().transform(answer -> {
      if (answer.failed()) {
        boolean isLast = left == 1 && soFar == null;
        return isLast ? Future.failedFuture(answer.cause()) : best(from, left - 1, soFar);
      }
      Duration trip = timers.elapsed().minus(asked);
      Reading reading = new Reading(answer.result(), asked.plus(trip.dividedBy(2)), trip);
      boolean better = trip.compareTo(tolerated) <= 0
          && (soFar == null || trip.compareTo(soFar.roundTrip()) < 0);
      if (better && agreed == null) {
        take(reading); // the first is better than none: the process may be claiming already
      }
      return best(from, left - 1, better ? reading : soFar);
    });
  }

  private static String difference(Duration ahead) {
    return ahead.isNegative() ? ahead.negated() + " behind" : ahead + " ahead of";
  }

  /**
   * What the storage's clock said.
   *
   * @param time as it was read
   * @param at when, on the timers' own time: halfway between question and answer
   * @param roundTrip how long that took
   */
  private record Reading(Instant time, Duration at, Duration roundTrip) {
    Instant storageTimeAt(Duration elapsed) {
      return time.plus(elapsed.minus(at));
    }
  }
}
