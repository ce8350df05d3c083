package dev.runlane.cli.operator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.ActionOptions;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.runtime.task.RunActionOptions;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code runlane runs free-key}. */
@Command(
    name = "free-key",
    header =
        "Frees an idempotency key that an ended run keeps: the next trigger with it makes a run.",
    description = {
      "It is recorded in the log of actions. A key whose run is active is not freed: cancel that run, or wait."
    },
    exitCodeList = {
      "0:the key is free",
      "1:it could not be freed: its run is active",
      "2:the command line cannot be used",
      "5:the database, or the API, cannot be reached",
      "130:Ctrl-C"
    },
    footer = {"Example:", "  runlane runs free-key charge A-1023 --reason 'charged the wrong card'"
    })
final class RunsFreeKeyCommand extends OperatorCommand {
  @Parameters(index = "0", paramLabel = "TASK", description = "The id of the task.")
  private String taskId = "";

  @Parameters(index = "1", paramLabel = "KEY", description = "The idempotency key.")
  private String key = "";

  @Mixin
  private ActionOptions action = new ActionOptions();

  RunsFreeKeyCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Work work() {
    RunActionOptions options = action.options(console().variables());
    return operations -> {
      Optional<String> owner = console().await(operations.resetKey(taskId, key, options));
      console().out().println(isJson() ? json(owner) : text(owner));
      return OperatorExit.DONE;
    };
  }

  private String json(Optional<String> owner) {
    ObjectNode answer = JsonAnswers.object()
        .put("taskId", taskId)
        .put("key", key)
        .put("wasHeld", owner.isPresent());
    owner.ifPresent(runId -> answer.put("runId", runId));
    return answer.toString();
  }

  private String text(Optional<String> owner) {
    return PlainText.oneLine("Key " + key + " of task " + taskId
        + owner.map(runId -> " is free; run " + runId + " had it").orElse(" was free already"));
  }
}
