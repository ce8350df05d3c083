package dev.runlane.cli.option;

import dev.runlane.run.Json;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a run goes on from, and where its cursors go. */
public final class StateOptions {
  @Option(
      names = "--state",
      paramLabel = "FILE|JSON",
      description = "Cursors to go on from: {\"STREAM\": {…}}. Default: none.")
  private @Nullable String given;

  @Option(
      names = "--persist-state",
      paramLabel = "FILE",
      description = "Where the cursors go once the run has completed; begins there, too, unless"
          + " --state says otherwise.")
  private @Nullable Path file;

  @Option(names = "--without-state", description = "The connector is told that no state is kept.")
  private boolean without;

  @Option(names = "--full-refresh", description = "Everything, whatever the state says.")
  private boolean fullRefresh;

  /** Reads the cursors. Fails with a {@link UsageException} where that cannot be done. */
  public RunSettings.State settings() {
    if (without && (given != null || file != null)) {
      throw new UsageException("--without-state goes with neither --state nor --persist-state");
    }
    return new RunSettings.State(cursors(), file, !without, fullRefresh);
  }

  private Map<String, Json> cursors() {
    if (given != null) {
      return JsonInput.cursors("--state", given);
    }
    return file != null && file.toFile().exists()
        ? JsonInput.cursors("--persist-state", file.toString())
        : Map.of();
  }
}
