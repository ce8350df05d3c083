package dev.runlane.steps;

import dev.runlane.options.OptionChecks;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;

/** How results are delivered. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class StepDeliveryOptions {
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

  private static final Set<String> KEYS = Set.of(
      "mostInFlight",
      "pageSize",
      "lease",
      "shortestPause",
      "longestPause",
      "longestPauseWithSignals",
      "foreignGrace");

  private int mostInFlight = DEFAULT_MOST_IN_FLIGHT;
  private int pageSize = DEFAULT_PAGE_SIZE;
  private Duration lease = DEFAULT_LEASE;
  private Duration shortestPause = DEFAULT_SHORTEST_PAUSE;
  private Duration longestPause = DEFAULT_LONGEST_PAUSE;
  private Duration longestPauseWithSignals = DEFAULT_LONGEST_PAUSE_WITH_SIGNALS;
  private Duration foreignGrace = DEFAULT_FOREIGN_GRACE;

  /** The defaults. */
  public StepDeliveryOptions() {}

  /** A copy. */
  public StepDeliveryOptions(StepDeliveryOptions other) {
    mostInFlight = other.mostInFlight;
    pageSize = other.pageSize;
    lease = other.lease;
    shortestPause = other.shortestPause;
    longestPause = other.longestPause;
    longestPauseWithSignals = other.longestPauseWithSignals;
    foreignGrace = other.foreignGrace;
  }

  /** Options from JSON, durations as {@code "30s"}. An unknown key is {@code ConfigurationInvalid}. */
  public StepDeliveryOptions(JsonObject json) {
    OptionChecks.requireKnown("a step delivery", json, KEYS);
    OptionChecks.integer(json, "mostInFlight", this::setMostInFlight);
    OptionChecks.integer(json, "pageSize", this::setPageSize);
    OptionChecks.duration(json, "lease", this::setLease);
    OptionChecks.duration(json, "shortestPause", this::setShortestPause);
    OptionChecks.duration(json, "longestPause", this::setLongestPause);
    OptionChecks.duration(json, "longestPauseWithSignals", this::setLongestPauseWithSignals);
    OptionChecks.duration(json, "foreignGrace", this::setForeignGrace);
  }

  /** The JSON form, which the constructor that takes one turns back into equal options. */
  public JsonObject toJson() {
    return new JsonObject()
        .put("mostInFlight", mostInFlight)
        .put("pageSize", pageSize)
        .put("lease", Durations.format(lease))
        .put("shortestPause", Durations.format(shortestPause))
        .put("longestPause", Durations.format(longestPause))
        .put("longestPauseWithSignals", Durations.format(longestPauseWithSignals))
        .put("foreignGrace", Durations.format(foreignGrace));
  }

  /** Results that are with the engine at the same time. */
  public int getMostInFlight() {
    return mostInFlight;
  }

  /** Sets how many results are with the engine at the same time, 1 to 10 000. */
  public StepDeliveryOptions setMostInFlight(int mostInFlight) {
    this.mostInFlight = within("mostInFlight", mostInFlight);
    return this;
  }

  /** Results looked at in one query. */
  public int getPageSize() {
    return pageSize;
  }

  /** Sets how many results one query looks at, 1 to 10 000. */
  public StepDeliveryOptions setPageSize(int pageSize) {
    this.pageSize = within("pageSize", pageSize);
    return this;
  }

  /** The age at which an engine takes over what another has claimed. */
  public Duration getLease() {
    return lease;
  }

  /** Sets the age at which claims are taken over; the same for all engines of a prefix. */
  public StepDeliveryOptions setLease(Duration lease) {
    this.lease = OptionChecks.requireMillis("lease", lease);
    return this;
  }

  /** The wait after a look that found something. */
  public Duration getShortestPause() {
    return shortestPause;
  }

  /**
   * Sets the wait after a look that found something; it doubles with each that finds nothing. While no signals are
   * heard, a quarter of it is the first wait after a dispatch, and the least between any two looks.
   */
  public StepDeliveryOptions setShortestPause(Duration shortestPause) {
    this.shortestPause = OptionChecks.requireMillis("shortestPause", shortestPause);
    return this;
  }

  /** The longest wait between looks while no signals are heard. */
  public Duration getLongestPause() {
    return longestPause;
  }

  /** Sets the longest wait between looks while no signals are heard. */
  public StepDeliveryOptions setLongestPause(Duration longestPause) {
    this.longestPause = OptionChecks.requireMillis("longestPause", longestPause);
    return this;
  }

  /** The longest wait between looks while signals are heard. */
  public Duration getLongestPauseWithSignals() {
    return longestPauseWithSignals;
  }

  /** Sets the longest wait between looks while signals are heard. */
  public StepDeliveryOptions setLongestPauseWithSignals(Duration longestPauseWithSignals) {
    this.longestPauseWithSignals =
        OptionChecks.requireMillis("longestPauseWithSignals", longestPauseWithSignals);
    return this;
  }

  /** The age at which results of runs that the engine does not know are deleted. */
  public Duration getForeignGrace() {
    return foreignGrace;
  }

  /**
   * Sets the age at which results of runs that the engine does not know are deleted. It must be longer than
   * any other engine on the same tables may be down.
   */
  public StepDeliveryOptions setForeignGrace(Duration foreignGrace) {
    this.foreignGrace = OptionChecks.requireMillis("foreignGrace", foreignGrace);
    return this;
  }

  private static int within(String what, int value) {
    if (value < 1 || value > 10_000) {
      throw RunlaneException.configurationInvalid(
          "%s must be between 1 and 10000, but is %d", what, value);
    }
    return value;
  }
}
