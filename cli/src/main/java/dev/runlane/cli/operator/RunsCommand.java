package dev.runlane.cli.operator;

import dev.runlane.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code runlane runs}. */
@Command(
    name = "runs",
    description = "Runs: which there are, what became of them, and why.",
    subcommands = {
      RunsListCommand.class,
      RunsGetCommand.class,
      RunsEventsCommand.class,
      RunsLogCommand.class,
      RunsExplainCommand.class,
      RunsWatchCommand.class,
      RunsCancelCommand.class,
      RunsRetryCommand.class,
      RunsRerunCommand.class,
      RunsFreeKeyCommand.class
    })
final class RunsCommand extends CommandGroup {
  RunsCommand() {}
}
