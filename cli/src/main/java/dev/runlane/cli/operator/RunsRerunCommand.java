package dev.runlane.cli.operator;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.operate.Operations;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.RunActionOptions;
import io.vertx.core.Future;
import java.util.Set;
import picocli.CommandLine.Command;

/** {@code runlane runs rerun}. */
@Command(
    name = "rerun",
    header = "Runs ended runs again: each as a new run with the same payload and queue.",
    footer = {
      "Examples:",
      "  runlane runs rerun run_01m84xzyaxwe6637nv8838ye4k --reason 'the card works again'",
      "  runlane runs rerun --task charge --since 2h --dry-run"
    })
final class RunsRerunCommand extends RunActionCommand {
  private static final Set<RunStatus> ENDED =
      Set.of(RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED);

  RunsRerunCommand(OperatorConsole console) {
    super(console, ENDED, "rerun");
  }

  @Override
  boolean repeats() {
    return true;
  }

  @Override
  String verb() {
    return "rerun";
  }

  @Override
  Future<ObjectNode> act(Operations operations, String runId, RunActionOptions options) {
    return operations.rerun(runId, options).map(result -> JsonAnswers.object()
        .put("runId", runId)
        .put("newRunId", result.run().id())
        .put("outcome", result.outcome().value())
        .put("status", result.run().status().value()));
  }
}
