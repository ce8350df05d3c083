package dev.runlane.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code runlane connectors}. */
@Command(
    name = "connectors",
    description = "Programs that collect records, run as child processes.",
    subcommands = {ConnectorsRunCommand.class, ConnectorsServeCommand.class},
    mixinStandardHelpOptions = true)
final class ConnectorsCommand implements Runnable {
  @Spec
  private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
