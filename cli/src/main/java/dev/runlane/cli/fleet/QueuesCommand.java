package dev.runlane.cli.fleet;

import dev.runlane.cli.command.ActionOptions;
import dev.runlane.cli.command.CommandGroup;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.runtime.task.RunActionOptions;
import io.vertx.core.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code runlane queues}. */
@Command(
    name = "queues",
    description = "Queues, as living processes have them.",
    subcommands = {
      QueuesListCommand.class,
      QueuesSlotsCommand.class,
      QueuesCommand.Pause.class,
      QueuesCommand.Resume.class
    })
public final class QueuesCommand extends CommandGroup {
  QueuesCommand() {}

  /** Pauses or resumes one queue, and tells whether that changed anything. */
  abstract static class Change extends OperatorCommand {
    @Parameters(paramLabel = "NAME", description = "The queue; no process need have it now.")
    private String queue = "";

    @Mixin
    private ActionOptions action = new ActionOptions();

    Change(OperatorConsole console) {
      super(console);
    }

    /** Does it. True where it changed anything. */
    abstract Future<Boolean> change(Operations operations, String name, RunActionOptions options);

    /** What is told. */
    abstract String text(boolean isChanged);

    @Override
    protected final Work work() {
      RunActionOptions options = action.options(console().variables());
      return operations -> {
        boolean isChanged = console().await(change(operations, queue, options));
        console()
            .out()
            .println(
                isJson()
                    ? JsonAnswers.object()
                        .put("queue", queue)
                        .put("changed", isChanged)
                        .toString()
                    : PlainText.oneLine("Queue " + queue + " " + text(isChanged)));
        return OperatorExit.DONE;
      };
    }
  }

  /** {@code runlane queues pause}. */
  @Command(
      name = "pause",
      header = "Pauses a queue: within 2 s no process claims a run of it.",
      description = "Runs that are running go on; triggers and schedules make more, which wait.",
      footer = {"Example:", "  runlane queues pause payments --reason 'the bank is away'"})
  static final class Pause extends Change {
    Pause(OperatorConsole console) {
      super(console);
    }

    @Override
    Future<Boolean> change(Operations operations, String name, RunActionOptions options) {
      return operations.pauseQueue(name, options);
    }

    @Override
    String text(boolean isChanged) {
      return isChanged ? "is paused" : "was paused already, and stays so";
    }
  }

  /** {@code runlane queues resume}. */
  @Command(name = "resume", header = "Resumes a queue that is paused.")
  static final class Resume extends Change {
    Resume(OperatorConsole console) {
      super(console);
    }

    @Override
    Future<Boolean> change(Operations operations, String name, RunActionOptions options) {
      return operations.resumeQueue(name, options);
    }

    @Override
    String text(boolean isChanged) {
      return isChanged ? "is resumed" : "was not paused";
    }
  }
}
