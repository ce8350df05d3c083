package dev.runlane.cli.operator;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.option.JsonInput;
import dev.runlane.cli.option.UsageException;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.RunActionOptions;
import io.vertx.core.Future;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code runlane runs rerun}. */
@Command(
    name = "rerun",
    header =
        "Runs ended runs again: each as a new run with the same payload, or another, and queue.",
    footer = {
      "Examples:",
      "  runlane runs rerun run_01m84xzyaxwe6637nv8838ye4k --reason 'the card works again'",
      "  runlane runs rerun run_01m84xzyaxwe6637nv8838ye4k --payload @mended.json",
      "  runlane runs rerun --task charge --since 2h --dry-run"
    })
final class RunsRerunCommand extends RunActionCommand {
  private static final Set<RunStatus> ENDED =
      Set.of(RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED);

  @Option(
      names = {"-p", "--payload"},
      paramLabel = "JSON|@FILE",
      description =
          "With ids: another payload, or the file that holds it. Default: each run's own.")
  private @Nullable String given;

  private @Nullable String payload;

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
  void check(boolean isByFilter) {
    if (given != null && isByFilter) {
      throw new UsageException("--payload goes with ids of runs: those of a filter keep their own");
    }
    payload = given == null ? null : JsonInput.orAtFile("--payload", given);
  }

  @Override
  Future<Acted> act(Operations operations, String runId, RunActionOptions options) {
    return operations.rerun(runId, payload, options).map(result -> Acted.again(runId, result));
  }
}
