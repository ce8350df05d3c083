package dev.runlane.cli.operator;

import picocli.CommandLine.Command;

/** {@code runlane queues}. */
@Command(
    name = "queues",
    description = "Queues, as living processes have them.",
    subcommands = QueuesListCommand.class)
final class QueuesCommand extends CommandGroup {
  QueuesCommand() {}
}
