package dev.runlane.cli;

import dev.runlane.connector.process.ChildProcessOptions;
import dev.runlane.connector.run.ConnectorRunOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The limits that were given; null means the runtime's own. */
record RunLimits(
    @Nullable Duration run,
    @Nullable Duration silence,
    @Nullable Duration exit,
    @Nullable Duration grace,
    @Nullable Integer lineBytes,
    @Nullable Long outputBytes) {

  ChildProcessOptions processOptions() {
    ChildProcessOptions options = new ChildProcessOptions();
    if (grace != null) {
      options.setTerminationGrace(grace).setTracedTerminationGrace(grace);
    }
    if (lineBytes != null) {
      options.setMaxLineBytes(lineBytes);
    }
    if (outputBytes != null) {
      options.setMaxOutputBytes(outputBytes);
    }
    return options;
  }

  ConnectorRunOptions runOptions() {
    ConnectorRunOptions options = new ConnectorRunOptions().setSilenceLimit(silence);
    if (run != null) {
      options.setRunLimit(run);
    }
    if (exit != null) {
      options.setExitTimeout(exit);
    }
    return options;
  }
}
