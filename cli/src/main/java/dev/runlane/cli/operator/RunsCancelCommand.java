package dev.runlane.cli.operator;

import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.operate.Operations;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.RunActionOptions;
import io.vertx.core.Future;
import java.util.Set;
import picocli.CommandLine.Command;

/** {@code runlane runs cancel}. */
@Command(
    name = "cancel",
    header = "Cancels runs: one that waits at once, one that runs as soon as its worker answers.",
    footer = {
      "Examples:",
      "  runlane runs cancel run_01m84xzyaxwe6637nv8838ye4k --reason 'ordered twice'",
      "  runlane runs cancel --task report --status queued --yes"
    })
final class RunsCancelCommand extends RunActionCommand {
  RunsCancelCommand(OperatorConsole console) {
    super(
        console,
        Set.of(
            RunStatus.QUEUED,
            RunStatus.SCHEDULED,
            RunStatus.RUNNING,
            RunStatus.RETRYING,
            RunStatus.RELEASED),
        "cancelled");
  }

  @Override
  String verb() {
    return "cancel";
  }

  @Override
  Future<Acted> act(Operations operations, String runId, RunActionOptions options) {
    return operations
        .cancel(runId, options)
        .map(run -> new Acted(
            JsonAnswers.object().put("runId", runId).put("status", run.status().value()), null));
  }
}
