package dev.runlane.connector.controller;

import dev.runlane.options.OptionChecks;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How a controller runs connectors. */
public final class ConnectorControllerOptions {
  /** Between two looks for runs whose process is gone = 30 s. */
  public static final Duration DEFAULT_RECONCILE_INTERVAL = Duration.ofSeconds(30);

  /** The queue of connector runs = connectors. */
  public static final String DEFAULT_QUEUE = "connectors";

  /** How long a source that asked for time is left alone = 5 min. */
  public static final Duration DEFAULT_SOURCE_COOLDOWN = Duration.ofMinutes(5);

  private Map<String, String> hostEnvironment = Map.of();
  private Duration reconcileInterval = DEFAULT_RECONCILE_INTERVAL;
  private Duration sourceCooldown = DEFAULT_SOURCE_COOLDOWN;
  private String queue = DEFAULT_QUEUE;
  private @Nullable String address;

  /** The defaults. */
  public ConnectorControllerOptions() {}

  /** A copy. */
  public ConnectorControllerOptions(ConnectorControllerOptions other) {
    hostEnvironment = other.hostEnvironment;
    reconcileInterval = other.reconcileInterval;
    sourceCooldown = other.sourceCooldown;
    queue = other.queue;
    address = other.address;
  }

  /** What children may inherit from; empty unless set. */
  public Map<String, String> getHostEnvironment() {
    return hostEnvironment;
  }

  /** Sets what children may inherit listed names from, usually {@code System.getenv()}. Without PATH no program is found by name. */
  public ConnectorControllerOptions setHostEnvironment(Map<String, String> hostEnvironment) {
    this.hostEnvironment = Map.copyOf(hostEnvironment);
    return this;
  }

  /** How often runs are looked for whose process is gone. */
  public Duration getReconcileInterval() {
    return reconcileInterval;
  }

  /** Sets how often runs are looked for whose process is gone: whole milliseconds, positive. */
  public ConnectorControllerOptions setReconcileInterval(Duration reconcileInterval) {
    this.reconcileInterval = OptionChecks.requireMillis("reconcileInterval", reconcileInterval);
    return this;
  }

  /** How long an owner's run waits after one that told of details missing under the source's pressure. */
  public Duration getSourceCooldown() {
    return sourceCooldown;
  }

  /** Sets how long a source that asked for time is left alone, unless the owner insists: not negative, zero for not at all. */
  public ConnectorControllerOptions setSourceCooldown(Duration sourceCooldown) {
    this.sourceCooldown = OptionChecks.requireNotNegative("sourceCooldown", sourceCooldown);
    return this;
  }

  /** The name of the queue. */
  public String getQueue() {
    return queue;
  }

  /** Sets the name of the queue that connector runs wait in. */
  public ConnectorControllerOptions setQueue(String queue) {
    this.queue = OptionChecks.requireId("queue", queue);
    return this;
  }

  /** Where other processes forward answers to, or null for nowhere. */
  public @Nullable String getAddress() {
    return address;
  }

  /** Sets where other processes reach this one's routes, such as {@code http://10.0.0.7:8080}. */
  public ConnectorControllerOptions setAddress(@Nullable String address) {
    this.address = address;
    return this;
  }
}
