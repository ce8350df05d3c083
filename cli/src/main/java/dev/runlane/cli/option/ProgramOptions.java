package dev.runlane.cli.option;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The connector's program, and what it finds when it starts. */
public final class ProgramOptions {
  @Option(
      names = "--env",
      paramLabel = "NAME=VALUE",
      description = "A variable for the connector, which inherits only a few. Repeatable.")
  private Map<String, String> environment = new LinkedHashMap<>();

  @Option(
      names = "--secret",
      paramLabel = "NAME",
      description = "A variable of this command's environment that the connector gets, and that"
          + " is removed from all it says. Repeatable.")
  private List<String> secrets = List.of();

  @Option(
      names = "--directory",
      paramLabel = "FOLDER",
      description = "Where the connector starts. Default: here.")
  private Path directory = Path.of("");

  @Parameters(
      arity = "1..*",
      paramLabel = "COMMAND",
      description = "The connector's program and its arguments, after --.")
  private List<String> command = List.of();

  public RunSettings.Program settings() {
    return new RunSettings.Program(command, directory.toAbsolutePath(), environment, secrets);
  }
}
