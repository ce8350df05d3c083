package dev.runlane.timing;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Logs the failures of something that is tried again and again, by one or by thousands: one with its trace when it is
 * new, then how many there were, at first every second, at last every half minute, and once when it is over. An
 * outage of an hour is then some hundred lines, however many fail meanwhile. Used on one context; not safe for several
 * threads.
 *
 * <p>A failure is new unless one of its kind was notified of before, where all {@link RunlaneException}s of a code are
 * of one kind; at most {@value #MOST_TRACES} traces are written until nothing fails for a minute. A storage or
 * transport that is away, and a call after a close, are logged without a trace: their message says who did not answer,
 * and where in our code nobody needs to know. One that cannot say what it is, since the application's own code throws,
 * is logged by its class. Something of which some works and some fails is not over.
 */
public final class FailureLog {
  private static final int MOST_TRACES = 8;
  private static final int MOST_CHARACTERS = 2_000;
  private static final Set<ErrorCode> OUTAGES = EnumSet.of(
      ErrorCode.STORAGE_UNAVAILABLE,
      ErrorCode.TRANSPORT_UNAVAILABLE,
      ErrorCode.OPERATION_CANCELLED);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
  private static final Duration REMEMBERED = Duration.ofMinutes(1);

  private final Logger log;
  private final String what;
  private final Supplier<Duration> elapsed;
  private final Set<String> reported = new HashSet<>(); // kinds whose trace was written
  private int failures; // since it worked last
  private int lines; // about these
  private Duration lastFailure = Duration.ZERO;
  private Duration nextLine = Duration.ZERO;

  /**
   * A log that has seen no failure, on the time of the JVM.
   *
   * @param what names what is tried, for example {@code scheduler sweep}
   */
  public FailureLog(Logger log, String what) {
    this(log, what, () -> Duration.ofNanos(System.nanoTime()));
  }

  /**
   * A log that has seen no failure.
   *
   * @param what names what is tried, for example {@code scheduler sweep}
   * @param timers by whose time lines are counted
   */
  public FailureLog(Logger log, String what, Timers timers) {
    this(log, what, timers::elapsed);
  }

  private FailureLog(Logger log, String what, Supplier<Duration> elapsed) {
    this.log = Objects.requireNonNull(log, "log");
    this.what = Objects.requireNonNull(what, "what");
    this.elapsed = elapsed;
  }

  /** Another try failed and the next comes after {@code pause}. */
  public void failed(Throwable failure, Duration pause) {
    reported(failure, "next in " + pause);
  }

  /**
   * Another try failed.
   *
   * @param consequence what follows, for this one, in a few words
   */
  public void failed(Throwable failure, String consequence) {
    reported(failure, consequence);
  }

  /** Something happened that no call failed with: it is counted alike, without a trace. */
  public void noticed(String event) {
    noticed(log::warn, event);
  }

  /** Something was given up, of which this tells alone: as {@link #noticed}, at ERROR. */
  public void gaveUp(String event) {
    noticed(log::error, event);
  }

  private void noticed(Consumer<String> writer, String event) {
    Duration now = count();
    if (failures == 1) {
      lineWritten(now);
      writer.accept(what + ": " + event);
    } else if (now.compareTo(nextLine) >= 0) {
      lineWritten(now);
      writer.accept(what + ": " + failures + " times in a row, the last: " + event);
    }
  }

  private Duration count() {
    Duration now = elapsed.get();
    if (now.minus(lastFailure).compareTo(REMEMBERED) > 0) {
      reported.clear();
      failures = 0;
      lines = 0;
    }
    failures++;
    lastFailure = now;
    return now;
  }

  private void reported(Throwable failure, String consequence) {
    Duration now = count();
    if (!isOutage(failure) && reported.size() < MOST_TRACES && reported.add(kind(failure))) {
      lineWritten(now);
      log.warn("{} failed, {}", what, consequence, readable(failure));
    } else if (failures == 1) {
      lineWritten(now);
      log.warn("{} failed, {}: {}", what, consequence, text(failure));
    } else if (now.compareTo(nextLine) >= 0) {
      lineWritten(now);
      log.warn("{} failed {} times in a row, {}: {}", what, failures, consequence, text(failure));
    }
  }

  /** A try succeeded. */
  public void succeeded() {
    if (failures > 0 && elapsed.get().minus(lastFailure).compareTo(FIRST_PAUSE) >= 0) {
      log.info("{} works again after failing {} times", what, failures);
      failures = 0;
      lines = 0;
    }
  }

  private void lineWritten(Duration now) {
    Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(lines, 5));
    nextLine = now.plus(pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
    lines++;
  }

  private static boolean isOutage(Throwable failure) {
    return failure instanceof RunlaneException own && OUTAGES.contains(own.code());
  }

  /** Messages of Runlane's own name runs, so they are all different. */
  private static String kind(Throwable failure) {
    return failure instanceof RunlaneException own ? own.code().value() : text(failure);
  }

  /**
   * A failure in a line of a log: at most {@value #MOST_CHARACTERS} characters, and by its class alone where it cannot
   * say itself. Never throws.
   */
  public static String text(Throwable failure) {
    try {
      String text = failure.toString();
      return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS) + "...";
    } catch (Throwable unreadable) {
      return failure.getClass().getName();
    }
  }

  /**
   * The failure for a log that writes its trace; where it or a cause cannot be read, one that names its class. Never
   * throws.
   */
  public static Throwable readable(Throwable failure) {
    try {
      failure.printStackTrace(new PrintWriter(Writer.nullWriter()));
      return failure;
    } catch (Throwable unreadable) {
      return new IllegalStateException(
          "what the failure says cannot be read: " + failure.getClass().getName());
    }
  }
}
