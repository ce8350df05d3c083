package dev.runlane.telemetry.metrics;

import static dev.runlane.options.OptionTypes.flag;
import static dev.runlane.options.OptionTypes.whole;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import io.vertx.core.json.JsonObject;

/** What {@link RunlaneMetrics} measure. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class RunlaneMetricsOptions extends OptionValues<RunlaneMetricsOptions> {
  /** Distinct values of a label = {@value}. */
  public static final int DEFAULT_MOST_LABEL_VALUES = 100;

  /** Whether times are histograms = {@value}. */
  public static final boolean DEFAULT_HISTOGRAMS = true;

  private static final OptionSet OPTIONS = OptionSet.of("metrics");
  private static final Option<Integer> MOST_LABEL_VALUES =
      OPTIONS.add("mostLabelValues", DEFAULT_MOST_LABEL_VALUES, whole(1, 10_000));
  private static final Option<Boolean> HISTOGRAMS =
      OPTIONS.add("histograms", DEFAULT_HISTOGRAMS, flag());

  /** The defaults. */
  public RunlaneMetricsOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public RunlaneMetricsOptions(RunlaneMetricsOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public RunlaneMetricsOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** The most distinct values of a label; each further queue, task, role, operation or error is {@code other}. */
  public int getMostLabelValues() {
    return get(MOST_LABEL_VALUES);
  }

  /** Sets the most distinct values of a label; 1 to 10 000. */
  public RunlaneMetricsOptions setMostLabelValues(int most) {
    return set(MOST_LABEL_VALUES, most);
  }

  /** Whether times are histograms with buckets; else they have count, sum and maximum only. */
  public boolean isHistograms() {
    return get(HISTOGRAMS);
  }

  /** Sets whether times are histograms. */
  public RunlaneMetricsOptions setHistograms(boolean histograms) {
    return set(HISTOGRAMS, histograms);
  }
}
