package dev.runlane.storage.memory;

import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;

/**
 * The local lane: a fresh {@link MemoryStorage} and a fresh {@link MemoryTransport}. For tests and first
 * steps; what it accepted is gone with the process.
 */
public final class MemoryLane {
  /** The name of the lane where none is given = {@value}. */
  public static final String DEFAULT_NAME = "local";

  private MemoryLane() {}

  /** A lane named {@value #DEFAULT_NAME}, not durable, with reads for operators. */
  public static Lane create() {
    return create(DEFAULT_NAME);
  }

  /** The same with another name. Throws {@code ConfigurationInvalid} when it is empty. */
  public static Lane create(String name) {
    return Lanes.create(
        new MemoryStorage(),
        new MemoryTransport(),
        new LaneOptions().setName(name).setOperatorReads(true).setProductionDurable(false));
  }
}
