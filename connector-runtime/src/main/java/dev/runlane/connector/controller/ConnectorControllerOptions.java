package dev.runlane.connector.controller;

import static dev.runlane.options.OptionTypes.duration;
import static dev.runlane.options.OptionTypes.durationOrZero;
import static dev.runlane.options.OptionTypes.id;
import static dev.runlane.options.OptionTypes.text;
import static dev.runlane.options.OptionTypes.textMap;
import static dev.runlane.options.OptionTypes.texts;

import dev.runlane.options.Option;
import dev.runlane.options.OptionSet;
import dev.runlane.options.OptionValues;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How a controller runs connectors. */
public final class ConnectorControllerOptions extends OptionValues<ConnectorControllerOptions> {
  /** Between two looks for runs whose process is gone = 30 s. */
  public static final Duration DEFAULT_RECONCILE_INTERVAL = Duration.ofSeconds(30);

  /** The queue of connector runs = connectors. */
  public static final String DEFAULT_QUEUE = "connectors";

  /** How long a source that asked for time is left alone = 5 min. */
  public static final Duration DEFAULT_SOURCE_COOLDOWN = Duration.ofMinutes(5);

  /** How long a run waits for a process that has its connector = 10 min. */
  public static final Duration DEFAULT_MISSING_CONNECTOR_TIMEOUT = Duration.ofMinutes(10);

  private static final OptionSet OPTIONS = OptionSet.of("a controller of connectors");
  private static final Option<Map<String, String>> HOST_ENVIRONMENT =
      OPTIONS.add("hostEnvironment", Map.of(), textMap().masked());
  private static final Option<Duration> RECONCILE_INTERVAL =
      OPTIONS.add("reconcileInterval", DEFAULT_RECONCILE_INTERVAL, duration());
  private static final Option<Duration> SOURCE_COOLDOWN =
      OPTIONS.add("sourceCooldown", DEFAULT_SOURCE_COOLDOWN, durationOrZero());
  private static final Option<Duration> MISSING_CONNECTOR_TIMEOUT =
      OPTIONS.add("missingConnectorTimeout", DEFAULT_MISSING_CONNECTOR_TIMEOUT, durationOrZero());
  private static final Option<String> QUEUE = OPTIONS.add("queue", DEFAULT_QUEUE, id());
  private static final Option<String> ADDRESS = OPTIONS.add("address", null, text());
  private static final Option<List<String>> PEERS = OPTIONS.add("peers", List.of(), texts());

  /** The defaults. */
  public ConnectorControllerOptions() {
    super(OPTIONS);
  }

  /** A copy. */
  public ConnectorControllerOptions(ConnectorControllerOptions other) {
    super(other);
  }

  /** Options from JSON. Throws {@code ConfigurationInvalid} on an unknown key or a malformed value. */
  public ConnectorControllerOptions(JsonObject json) {
    super(OPTIONS, json);
  }

  /** What children may inherit from; empty unless set. */
  public Map<String, String> getHostEnvironment() {
    return get(HOST_ENVIRONMENT);
  }

  /**
   * Sets what children may inherit listed names from, usually {@code System.getenv()}. Without PATH no program is
   * found by name.
   */
  public ConnectorControllerOptions setHostEnvironment(Map<String, String> hostEnvironment) {
    return set(HOST_ENVIRONMENT, hostEnvironment);
  }

  /** How often runs are looked for whose process is gone. */
  public Duration getReconcileInterval() {
    return get(RECONCILE_INTERVAL);
  }

  /** Sets how often runs are looked for whose process is gone: whole milliseconds, positive. */
  public ConnectorControllerOptions setReconcileInterval(Duration reconcileInterval) {
    return set(RECONCILE_INTERVAL, reconcileInterval);
  }

  /** How long an owner's run waits after one that reported details missing under the source's pressure. */
  public Duration getSourceCooldown() {
    return get(SOURCE_COOLDOWN);
  }

  /**
   * Sets how long a source that asked for time is left alone, unless the owner insists: not negative, zero for not
   * at all.
   */
  public ConnectorControllerOptions setSourceCooldown(Duration sourceCooldown) {
    return set(SOURCE_COOLDOWN, sourceCooldown);
  }

  /** How long after it was accepted a run is given back by processes that do not have its connector. */
  public Duration getMissingConnectorTimeout() {
    return get(MISSING_CONNECTOR_TIMEOUT);
  }

  /**
   * Sets how long after it was accepted a run is given back by processes that do not have its connector: not negative,
   * zero for not at all. Then it fails. Those that have it with another manifest than the run was accepted with give it
   * back for so long at most, and no longer than three intervals, or a minute, and run it with that one then.
   */
  public ConnectorControllerOptions setMissingConnectorTimeout(Duration missingConnectorTimeout) {
    return set(MISSING_CONNECTOR_TIMEOUT, missingConnectorTimeout);
  }

  /** The name of the queue. */
  public String getQueue() {
    return get(QUEUE);
  }

  /** Sets the name of the queue that connector runs wait in. */
  public ConnectorControllerOptions setQueue(String queue) {
    return set(QUEUE, queue);
  }

  /** Where other processes forward answers to, or null for nowhere. */
  public @Nullable String getAddress() {
    return orNull(ADDRESS);
  }

  /**
   * Sets where other processes reach this one's routes, such as {@code https://runs-1.example.com:8443}. Without TLS
   * they hand answers on to a loopback address only, and to those of their {@code peers} that allow it.
   */
  public ConnectorControllerOptions setAddress(@Nullable String address) {
    return set(ADDRESS, address);
  }

  /**
   * The hosts of other processes that answers are handed on to, without port, {@code http://} before those that are
   * told without encryption too, beside loopback and the host of {@code address}.
   */
  public List<String> getPeers() {
    return get(PEERS);
  }

  /**
   * Sets the hosts of other processes that an answer, and the token it came with, may be handed on to, by https:
   * names or addresses without a port, or {@code *.runs.example.com} for all hosts below. With {@code http://} before
   * it a host is told without encryption too, for networks in which nobody reads along. The controller's constructor
   * refuses any other text with {@code ConfigurationInvalid}.
   */
  public ConnectorControllerOptions setPeers(List<String> peers) {
    return set(PEERS, List.copyOf(peers));
  }
}
