package dev.runlane.jobs.store;

import static dev.runlane.options.OptionTypes.code;
import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.flag;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The options that every job store has. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class JobStoreOptions extends OptionValues<JobStoreOptions> {
  /** How long buckets of a minute are kept = 1 day. */
  public static final Duration DEFAULT_METRICS_MINUTE_RETENTION = Duration.ofDays(1);

  /** How long buckets of an hour are kept = 30 days. */
  public static final Duration DEFAULT_METRICS_HOUR_RETENTION = Duration.ofDays(30);

  private static final OptionSet OPTIONS = OptionSet.of("a job store");
  private static final Option<Boolean> AUTO_MIGRATE = OPTIONS.add("autoMigrate", true, flag());
  private static final Option<Boolean> METRICS_ENABLED =
      OPTIONS.add("metricsEnabled", false, flag());
  private static final Option<Duration> METRICS_MINUTE_RETENTION =
      OPTIONS.add("metricsMinuteRetention", DEFAULT_METRICS_MINUTE_RETENTION, duration());
  private static final Option<Duration> METRICS_HOUR_RETENTION =
      OPTIONS.add("metricsHourRetention", DEFAULT_METRICS_HOUR_RETENTION, duration());
  private static final Option<Consumer<Throwable>> ON_EVENT_HANDLER_ERROR =
      OPTIONS.add("onEventHandlerError", null, code());

  /** The defaults: migrations on, metrics off, failures of subscribers logged. */
  public JobStoreOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public JobStoreOptions(JobStoreOptions other) {
    super(other);
  }

  /** From the JSON form; an unknown key is {@code ConfigurationInvalid}. */
  public JobStoreOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** Whether {@link JobStore#connect()} applies migrations. */
  public boolean isAutoMigrate() {
    return get(AUTO_MIGRATE);
  }

  /** Whether {@link JobStore#connect()} applies migrations. */
  public JobStoreOptions setAutoMigrate(boolean autoMigrate) {
    return set(AUTO_MIGRATE, autoMigrate);
  }

  /** Whether metrics are kept. */
  public boolean isMetricsEnabled() {
    return get(METRICS_ENABLED);
  }

  /** Whether metrics are kept. */
  public JobStoreOptions setMetricsEnabled(boolean metricsEnabled) {
    return set(METRICS_ENABLED, metricsEnabled);
  }

  /** How long buckets of a minute are kept. */
  public Duration getMetricsMinuteRetention() {
    return get(METRICS_MINUTE_RETENTION);
  }

  /** How long buckets of a minute are kept. */
  public JobStoreOptions setMetricsMinuteRetention(Duration retention) {
    return set(METRICS_MINUTE_RETENTION, retention);
  }

  /** How long buckets of an hour are kept. */
  public Duration getMetricsHourRetention() {
    return get(METRICS_HOUR_RETENTION);
  }

  /** How long buckets of an hour are kept. */
  public JobStoreOptions setMetricsHourRetention(Duration retention) {
    return set(METRICS_HOUR_RETENTION, retention);
  }

  /** Called with what a subscriber threw; null: it is logged. */
  public @Nullable Consumer<Throwable> getOnEventHandlerError() {
    return orNull(ON_EVENT_HANDLER_ERROR);
  }

  /** Called with what a subscriber threw; must neither block nor throw. Null: it is logged. */
  public JobStoreOptions setOnEventHandlerError(@Nullable Consumer<Throwable> handler) {
    return set(ON_EVENT_HANDLER_ERROR, handler);
  }
}
