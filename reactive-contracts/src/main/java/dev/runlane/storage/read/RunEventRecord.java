package dev.runlane.storage.read;

import dev.runlane.run.RunEvent;
import java.util.Objects;

/**
 * An event as it is stored.
 *
 * @param id decimal digits, unique in the storage; inside one run, and inside one partition of a bounded
 *     queue, later events have greater numbers
 * @param sequence its place in the run's history, from 1 without gaps
 * @param event the fact
 */
public record RunEventRecord(String id, long sequence, RunEvent event) {
  /** Refuses null. */
  public RunEventRecord {
    Objects.requireNonNull(id);
    Objects.requireNonNull(event);
  }
}
