package dev.runlane.simulation.fleet;

/**
 * The payload of every simulated run.
 *
 * @param script what its handler does, attempt by attempt
 * @param key for tasks whose runs have one
 */
public record Item(long script, String key) {
  /** The key of runs of the remote task that have more steps at once than a page of history. */
  static final String WIDE = "W";
}
