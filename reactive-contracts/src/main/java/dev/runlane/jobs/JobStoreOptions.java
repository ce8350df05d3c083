package dev.runlane.jobs;

import dev.runlane.options.OptionChecks;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What every job store can be told. Setters throw {@code ConfigurationInvalid} for values out of range. */
public final class JobStoreOptions {
  /** How long buckets of a minute are kept = 1 day. */
  public static final Duration DEFAULT_METRICS_MINUTE_RETENTION = Duration.ofDays(1);

  /** How long buckets of an hour are kept = 30 days. */
  public static final Duration DEFAULT_METRICS_HOUR_RETENTION = Duration.ofDays(30);

  private static final Set<String> KEYS =
      Set.of("autoMigrate", "metricsEnabled", "metricsMinuteRetention", "metricsHourRetention");

  private boolean autoMigrate = true;
  private boolean metricsEnabled;
  private Duration metricsMinuteRetention = DEFAULT_METRICS_MINUTE_RETENTION;
  private Duration metricsHourRetention = DEFAULT_METRICS_HOUR_RETENTION;
  private @Nullable Consumer<Throwable> onEventHandlerError;

  /** The defaults: migrations on, metrics off, failures of subscribers logged. */
  public JobStoreOptions() {}

  /** A copy. */
  public JobStoreOptions(JobStoreOptions other) {
    autoMigrate = other.autoMigrate;
    metricsEnabled = other.metricsEnabled;
    metricsMinuteRetention = other.metricsMinuteRetention;
    metricsHourRetention = other.metricsHourRetention;
    onEventHandlerError = other.onEventHandlerError;
  }

  /** From the JSON form; an unknown key is {@code ConfigurationInvalid}. */
  public JobStoreOptions(JsonObject json) {
    OptionChecks.requireKnown("a job store", json, KEYS);
    OptionChecks.flag(json, "autoMigrate", this::setAutoMigrate);
    OptionChecks.flag(json, "metricsEnabled", this::setMetricsEnabled);
    OptionChecks.duration(json, "metricsMinuteRetention", this::setMetricsMinuteRetention);
    OptionChecks.duration(json, "metricsHourRetention", this::setMetricsHourRetention);
  }

  /** The JSON form; what is told about failures of subscribers is no part of it. */
  public JsonObject toJson() {
    return new JsonObject()
        .put("autoMigrate", autoMigrate)
        .put("metricsEnabled", metricsEnabled)
        .put("metricsMinuteRetention", Durations.format(metricsMinuteRetention))
        .put("metricsHourRetention", Durations.format(metricsHourRetention));
  }

  /** Whether {@link JobStore#connect()} applies migrations. */
  public boolean isAutoMigrate() {
    return autoMigrate;
  }

  /** Whether {@link JobStore#connect()} applies migrations. */
  public JobStoreOptions setAutoMigrate(boolean autoMigrate) {
    this.autoMigrate = autoMigrate;
    return this;
  }

  /** Whether metrics are kept. */
  public boolean isMetricsEnabled() {
    return metricsEnabled;
  }

  /** Whether metrics are kept. */
  public JobStoreOptions setMetricsEnabled(boolean metricsEnabled) {
    this.metricsEnabled = metricsEnabled;
    return this;
  }

  /** How long buckets of a minute are kept. */
  public Duration getMetricsMinuteRetention() {
    return metricsMinuteRetention;
  }

  /** How long buckets of a minute are kept. */
  public JobStoreOptions setMetricsMinuteRetention(Duration retention) {
    metricsMinuteRetention = OptionChecks.requireMillis("metricsMinuteRetention", retention);
    return this;
  }

  /** How long buckets of an hour are kept. */
  public Duration getMetricsHourRetention() {
    return metricsHourRetention;
  }

  /** How long buckets of an hour are kept. */
  public JobStoreOptions setMetricsHourRetention(Duration retention) {
    metricsHourRetention = OptionChecks.requireMillis("metricsHourRetention", retention);
    return this;
  }

  /** Who is told what a subscriber threw, or null: then it is logged. */
  public @Nullable Consumer<Throwable> getOnEventHandlerError() {
    return onEventHandlerError;
  }

  /** Who is told what a subscriber threw; must neither block nor throw. Null: it is logged. */
  public JobStoreOptions setOnEventHandlerError(@Nullable Consumer<Throwable> handler) {
    onEventHandlerError = handler;
    return this;
  }
}
