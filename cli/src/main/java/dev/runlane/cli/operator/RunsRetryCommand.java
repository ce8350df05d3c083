package dev.runlane.cli.operator;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.operate.Operations;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.RunActionOptions;
import io.vertx.core.Future;
import java.util.Set;
import picocli.CommandLine.Command;

/** {@code runlane runs retry}. */
@Command(
    name = "retry",
    header = "Runs failed runs again, each once: as a new run with the same payload and queue.",
    footer = {
      "Examples:",
      "  runlane runs retry run_01m84xzyaxwe6637nv8838ye4k --reason 'the card works again'",
      "  runlane runs retry --task charge --since 2h --dry-run"
    })
final class RunsRetryCommand extends RunActionCommand {

  RunsRetryCommand(OperatorConsole console) {
    super(console, Set.of(RunStatus.FAILED), "retried");
  }

  @Override
  String verb() {
    return "retry";
  }

  @Override
  Future<Acted> act(Operations operations, String runId, RunActionOptions options) {
    return operations.retry(runId, options).map(result -> Acted.again(runId, result));
  }
}
