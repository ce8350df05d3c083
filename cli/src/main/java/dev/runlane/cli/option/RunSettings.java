package dev.runlane.cli.option;

import dev.runlane.cli.report.OutputFormat;
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
 * @param interactive whether somebody answers questions
 * @param showsRecords whether records are printed
 */
public record RunSettings(
    String manifest,
    @Nullable Json scope,
    @Nullable String since,
    State state,
    boolean interactive,
    boolean showsRecords,
    OutputFormat format,
    Program program,
    RunLimits limits) {

  /**
   * What the run goes on from.
   *
   * @param cursors by stream
   * @param persistsIn where cursors go after success; null means nowhere
   * @param kept whether the connector is given cursors and may leave some
   * @param fullRefresh whether everything is collected again
   */
  public record State(
      Map<String, Json> cursors, @Nullable Path persistsIn, boolean kept, boolean fullRefresh) {
    public State {
      cursors = Map.copyOf(cursors);
    }

    /** Cursors may be secret. */
    @Override
    public String toString() {
      return "State[" + cursors.keySet() + "]";
    }
  }

  /**
   * The connector.
   *
   * @param environment its variables
   * @param secrets names of variables of this process that it is given
   */
  public record Program(
      List<String> command, Path directory, Map<String, String> environment, List<String> secrets) {
    public Program {
      command = List.copyOf(command);
      environment = Map.copyOf(environment);
      secrets = List.copyOf(secrets);
    }

    /** Arguments and variables may be secret. */
    @Override
    public String toString() {
      return "Program[" + command.get(0) + " in " + directory + "]";
    }
  }

  @Override
  public String toString() {
    return "RunSettings[" + program + "]";
  }
}
