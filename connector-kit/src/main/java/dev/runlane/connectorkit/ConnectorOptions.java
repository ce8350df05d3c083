package dev.runlane.connectorkit;

import dev.runlane.connectorkit.message.Interaction;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Bounds and surroundings of a connector. The receiver copies it. */
public final class ConnectorOptions {

  /** Bytes of one line, sent or received = 64 MiB, the runtime's own default. */
  public static final int DEFAULT_MAX_LINE_BYTES = 64 * 1024 * 1024;

  /** Wait for the runtime to close standard input after DONE = 30 minutes. */
  public static final Duration DEFAULT_INPUT_CLOSE_WAIT = Duration.ofMinutes(30);

  /** Wait for the body and its hooks to end after SIGTERM = 10 seconds. */
  public static final Duration DEFAULT_STOP_WAIT = Duration.ofSeconds(10);

  /** The longest that a message stays in the process's buffer = 200 ms. */
  public static final Duration DEFAULT_FLUSH_DELAY = Duration.ofMillis(200);

  private int maxLineBytes = DEFAULT_MAX_LINE_BYTES;
  private Duration inputCloseWait = DEFAULT_INPUT_CLOSE_WAIT;
  private Duration stopWait = DEFAULT_STOP_WAIT;
  private Duration flushDelay = DEFAULT_FLUSH_DELAY;
  private Clock clock = Clock.systemUTC();
  private Map<String, String> environment = Map.of();
  private @Nullable Path manifest;

  /** The defaults, an empty environment and no manifest. */
  public ConnectorOptions() {}

  /** A copy. */
  public ConnectorOptions(ConnectorOptions other) {
    maxLineBytes = other.maxLineBytes;
    inputCloseWait = other.inputCloseWait;
    stopWait = other.stopWait;
    flushDelay = other.flushDelay;
    clock = other.clock;
    environment = other.environment;
    manifest = other.manifest;
  }

  /** The longest line in bytes, without its end. */
  public int getMaxLineBytes() {
    return maxLineBytes;
  }

  /**
   * A longer line is refused: on the way out by failing the call, on the way in by failing the run.
   *
   * @param maxLineBytes at least 1024, the line's end not counted
   */
  public ConnectorOptions setMaxLineBytes(int maxLineBytes) {
    if (maxLineBytes < 1024) {
      throw new IllegalArgumentException("maxLineBytes must be at least 1024, was " + maxLineBytes);
    }
    this.maxLineBytes = maxLineBytes;
    return this;
  }

  /** How long the process waits after DONE. */
  public Duration getInputCloseWait() {
    return inputCloseWait;
  }

  /** How long the process waits, after DONE, for the runtime to close its standard input; at most 36 500 days. */
  public ConnectorOptions setInputCloseWait(Duration inputCloseWait) {
    this.inputCloseWait = notNegative("inputCloseWait", inputCloseWait);
    return this;
  }

  /** How long SIGTERM lets the body run on. */
  public Duration getStopWait() {
    return stopWait;
  }

  /**
   * How long SIGTERM lets the body and its hooks run on before the process ends. The runtime kills
   * after a grace of its own, which is often shorter.
   *
   * @param stopWait at most 36 500 days
   */
  public ConnectorOptions setStopWait(Duration stopWait) {
    this.stopWait = notNegative("stopWait", stopWait);
    return this;
  }

  /** The longest that a record waits for others. */
  public Duration getFlushDelay() {
    return flushDelay;
  }

  /**
   * The longest that a record waits for others before it is written. Every other message is written
   * at once, with the records before it.
   *
   * @param flushDelay at least 1 ms, at most 36 500 days
   */
  public ConnectorOptions setFlushDelay(Duration flushDelay) {
    if (notNegative("flushDelay", flushDelay).toMillis() < 1) {
      throw new IllegalArgumentException("flushDelay must be at least 1 ms, was " + flushDelay);
    }
    this.flushDelay = flushDelay;
    return this;
  }

  /** Where {@code emitted_at} of records without one comes from. */
  public Clock getClock() {
    return clock;
  }

  /** Gives {@code emitted_at} of records that carry none. */
  public ConnectorOptions setClock(Clock clock) {
    this.clock = clock;
    return this;
  }

  /** The variables of the connector. */
  public Map<String, String> getEnvironment() {
    return environment;
  }

  /** The variables that {@link ConnectorRun#environment()} gives, those of the browser included. */
  public ConnectorOptions setEnvironment(Map<String, String> environment) {
    this.environment = Map.copyOf(environment);
    return this;
  }

  /** The connector's manifest, or null. */
  public @Nullable Path getManifest() {
    return manifest;
  }

  /**
   * The connector's manifest.json. With it, records are also checked against time ranges and
   * against resources that are named by a field; without it, only the runtime checks those.
   */
  public ConnectorOptions setManifest(@Nullable Path manifest) {
    this.manifest = manifest;
    return this;
  }

  private static Duration notNegative(String name, Duration value) {
    if (value.isNegative() || value.compareTo(Interaction.LONGEST_WAIT) > 0) {
      throw new IllegalArgumentException(name + " must not be negative and at most "
          + Interaction.LONGEST_WAIT + ", was " + value);
    }
    return value;
  }
}
