package dev.runlane.steps.delivery;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** How results are delivered. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class StepDeliveryOptions extends OptionValues<StepDeliveryOptions> {
  /** Results that are with the engine at the same time = {@value}. */
  public static final int DEFAULT_MOST_IN_FLIGHT = 256;

  /** Results looked at in one query = {@value}. */
  public static final int DEFAULT_PAGE_SIZE = 256;

  /** The age at which an engine takes over what another has claimed = 30 s. */
  public static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);

  /** The wait after a look that found something = 20 ms. */
  public static final Duration DEFAULT_SHORTEST_PAUSE = Duration.ofMillis(20);

  /** The longest wait between looks while no signals are heard = 500 ms. */
  public static final Duration DEFAULT_LONGEST_PAUSE = Duration.ofMillis(500);

  /** The longest wait between looks while signals are heard = 5 s. */
  public static final Duration DEFAULT_LONGEST_PAUSE_WITH_SIGNALS = Duration.ofSeconds(5);

  /** The age at which results of runs that the engine does not know are deleted = 7 days. */
  public static final Duration DEFAULT_FOREIGN_GRACE = Duration.ofDays(7);

  private static final OptionSet OPTIONS = OptionSet.of("a step delivery");
  private static final Option<Integer> MOST_IN_FLIGHT =
      OPTIONS.add("mostInFlight", DEFAULT_MOST_IN_FLIGHT, whole(1, 10_000));
  private static final Option<Integer> PAGE_SIZE =
      OPTIONS.add("pageSize", DEFAULT_PAGE_SIZE, whole(1, 10_000));
  private static final Option<Duration> LEASE = OPTIONS.add("lease", DEFAULT_LEASE, duration());
  private static final Option<Duration> SHORTEST_PAUSE =
      OPTIONS.add("shortestPause", DEFAULT_SHORTEST_PAUSE, duration());
  private static final Option<Duration> LONGEST_PAUSE =
      OPTIONS.add("longestPause", DEFAULT_LONGEST_PAUSE, duration());
  private static final Option<Duration> LONGEST_PAUSE_WITH_SIGNALS =
      OPTIONS.add("longestPauseWithSignals", DEFAULT_LONGEST_PAUSE_WITH_SIGNALS, duration());
  private static final Option<Duration> FOREIGN_GRACE =
      OPTIONS.add("foreignGrace", DEFAULT_FOREIGN_GRACE, duration());

  /** The defaults. */
  public StepDeliveryOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public StepDeliveryOptions(StepDeliveryOptions other) {
    super(other);
  }

  /** Options from JSON, durations as {@code "30s"}. An unknown key is {@code ConfigurationInvalid}. */
  public StepDeliveryOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Results that are with the engine at the same time. */
  public int getMostInFlight() {
    return get(MOST_IN_FLIGHT);
  }

  /** Sets how many results are with the engine at the same time, 1 to 10 000. */
  public StepDeliveryOptions setMostInFlight(int mostInFlight) {
    return set(MOST_IN_FLIGHT, mostInFlight);
  }

  /** Results looked at in one query. */
  public int getPageSize() {
    return get(PAGE_SIZE);
  }

  /** Sets how many results one query looks at, 1 to 10 000. */
  public StepDeliveryOptions setPageSize(int pageSize) {
    return set(PAGE_SIZE, pageSize);
  }

  /** The age at which an engine takes over what another has claimed. */
  public Duration getLease() {
    return get(LEASE);
  }

  /** Sets the age at which claims are taken over; the same for all engines of a prefix. */
  public StepDeliveryOptions setLease(Duration lease) {
    return set(LEASE, lease);
  }

  /** The wait after a look that found something. */
  public Duration getShortestPause() {
    return get(SHORTEST_PAUSE);
  }

  /**
   * Sets the wait after a look that found something; it doubles with each that finds nothing. While no signals are
   * heard, a quarter of it is the first wait after a dispatch, and the least between any two looks.
   */
  public StepDeliveryOptions setShortestPause(Duration shortestPause) {
    return set(SHORTEST_PAUSE, shortestPause);
  }

  /** The longest wait between looks while no signals are heard. */
  public Duration getLongestPause() {
    return get(LONGEST_PAUSE);
  }

  /** Sets the longest wait between looks while no signals are heard. */
  public StepDeliveryOptions setLongestPause(Duration longestPause) {
    return set(LONGEST_PAUSE, longestPause);
  }

  /** The longest wait between looks while signals are heard. */
  public Duration getLongestPauseWithSignals() {
    return get(LONGEST_PAUSE_WITH_SIGNALS);
  }

  /** Sets the longest wait between looks while signals are heard. */
  public StepDeliveryOptions setLongestPauseWithSignals(Duration longestPauseWithSignals) {
    return set(LONGEST_PAUSE_WITH_SIGNALS, longestPauseWithSignals);
  }

  /** The age at which results of runs that the engine does not know are deleted. */
  public Duration getForeignGrace() {
    return get(FOREIGN_GRACE);
  }

  /**
   * Sets the age at which results of runs that the engine does not know are deleted. It must be longer than
   * any other engine on the same tables may be down.
   */
  public StepDeliveryOptions setForeignGrace(Duration foreignGrace) {
    return set(FOREIGN_GRACE, foreignGrace);
  }
}
