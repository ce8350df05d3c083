package dev.runlane.cli.option;

import dev.runlane.connector.process.ChildProcessOptions;
import dev.runlane.connector.run.request.ConnectorRunOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The limits that were given; null means the runtime's own. */
public record RunLimits(
    @Nullable Duration run,
    @Nullable Duration silence,
    @Nullable Duration exit,
    @Nullable Duration grace,
    @Nullable Integer lineBytes,
    @Nullable Long outputBytes) {

  public ChildProcessOptions processOptions() {
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

  public ConnectorRunOptions runOptions() {
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
