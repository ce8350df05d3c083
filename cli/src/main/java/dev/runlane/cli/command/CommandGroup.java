package dev.runlane.cli.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only has others. */
@Command(
    mixinStandardHelpOptions = true,
    descriptionHeading = "%n",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    synopsisSubcommandLabel = "COMMAND")
public abstract class CommandGroup implements Runnable {
  @Spec
  private CommandSpec spec = CommandSpec.create();

  @Override
  public final void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
