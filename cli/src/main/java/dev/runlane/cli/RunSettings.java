package dev.runlane.cli;

import dev.runlane.run.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the command was asked to do.
 *
 * @param manifest the text of the connector's manifest
 * @param scope what to collect; null means whatever the manifest has
 * @param since without a scope, the first instant to collect; null means all
 * @param cursors what to go on from, by stream
 * @param persistState where cursors go after success; null means nowhere
 * @param keepsState whether the connector is given cursors and may leave some
 * @param interactive whether somebody answers questions
 * @param showsRecords whether records are printed
 * @param environment variables for the connector
 * @param secrets names of variables of this process that are given to the connector
 */
record RunSettings(
    String manifest,
    @Nullable Json scope,
    @Nullable String since,
    Map<String, Json> cursors,
    @Nullable Path persistState,
    boolean keepsState,
    boolean fullRefresh,
    boolean interactive,
    boolean showsRecords,
    OutputFormat format,
    Map<String, String> environment,
    List<String> secrets,
    Path directory,
    RunLimits limits,
    List<String> command) {

  RunSettings {
    cursors = Map.copyOf(cursors);
    environment = Map.copyOf(environment);
    secrets = List.copyOf(secrets);
    command = List.copyOf(command);
  }

  /** Cursors, arguments and variables may be secret. */
  @Override
  public String toString() {
    return "RunSettings[" + command.get(0) + " in " + directory + "]";
  }
}
