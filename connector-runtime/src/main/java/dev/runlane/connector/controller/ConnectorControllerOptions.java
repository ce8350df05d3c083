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

  private Map<String, String> hostEnvironment = Map.of();
  private Duration reconcileInterval = DEFAULT_RECONCILE_INTERVAL;
  private String queue = DEFAULT_QUEUE;
  private @Nullable String address;

  /** The defaults. */
  public ConnectorControllerOptions() {}

  /** A copy. */
  public ConnectorControllerOptions(ConnectorControllerOptions other) {
    hostEnvironment = other.hostEnvironment;
    reconcileInterval = other.reconcileInterval;
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
