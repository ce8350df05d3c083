package dev.runlane.benchmarks.connectors;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What one connector of a measurement sends.
 *
 * @param records how many, each of another key
 * @param padding characters each record has besides its key
 * @param gate a pipe whose opening lets it begin, or null: at once
 */
record ConnectorLoad(long records, int padding, @Nullable Path gate) {
  private static final int SMALL = 5;

  /** Small records, from the moment it is started. */
  static ConnectorLoad small(long records) {
    return new ConnectorLoad(records, SMALL, null);
  }

  /** The same records, once the gate is opened. */
  ConnectorLoad behind(StartGate to) {
    return new ConnectorLoad(records, padding, to.path());
  }
}
