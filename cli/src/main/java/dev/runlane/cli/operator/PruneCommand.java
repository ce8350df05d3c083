package dev.runlane.cli.operator;

import dev.runlane.cli.command.ActionOptions;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.option.NoBlankNames;
import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Progress;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.operate.PruneOptions;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.storage.run.PrunedRuns;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code runlane prune}. */
@Command(
    name = "prune",
    header = "Removes runs that ended long ago for ever, with their history.",
    description =
        "A run that still owns its idempotency key stays. Ctrl-C ends it after the runs it is at;"
            + " the same command goes on. It is in the log of actions from its beginning.",
    footer = {"Example:", "  runlane prune --older-than 90d --yes"})
final class PruneCommand extends OperatorCommand {
  @Option(
      names = "--older-than",
      required = true,
      paramLabel = "TIME",
      description = "How long ago a run has ended at least, such as 90d.")
  private String age = "";

  @Option(
      names = {"-s", "--status"},
      split = ",",
      preprocessor = NoBlankNames.class,
      paramLabel = "STATUS",
      description = "succeeded, failed, cancelled. Default: all of them.")
  private List<String> statuses = List.of();

  @Option(
      names = "--batch",
      paramLabel = "N",
      description = "How many in one transaction. Default: ${DEFAULT-VALUE}.")
  private int batch = 500;

  @Option(names = "--yes", description = "Does it: what is removed cannot be brought back.")
  private boolean yes;

  @Mixin
  private ActionOptions action = new ActionOptions();

  PruneCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected boolean goesRemotely() {
    return false;
  }

  @Override
  protected Work work() {
    Duration duration = TimeText.duration("--older-than", age);
    Set<RunStatus> chosen = chosen();
    if (batch < 1) {
      throw new UsageException("--batch must be at least 1, was " + batch);
    }
    if (!yes) {
      throw new UsageException("what is pruned is gone for ever: --yes does it");
    }
    RunActionOptions options = action.options(console().variables());
    PruneOptions pruned = PruneOptions.olderThan(duration).setStatuses(chosen).setLimit(batch);
    return operations -> new OneAction(console(), operations)
        .of(
            new Operations.Action("runs.prune", null),
            options,
            told -> prune(operations, pruned, told));
  }

  private Set<RunStatus> chosen() {
    Set<RunStatus> chosen = EnumSet.noneOf(RunStatus.class);
    for (String name : statuses) {
      chosen.add(Arrays.stream(RunStatus.values())
          .filter(status -> status.isTerminal() && status.value().equals(name))
          .findFirst()
          .orElseThrow(() -> new UsageException(
              "--status: only runs that are succeeded, failed or cancelled can be pruned, not "
                  + name)));
    }
    return chosen;
  }

  private OperatorExit prune(Operations operations, PruneOptions options, Promise<String> told) {
    long removed = 0;
    @Nullable String cursor = null;
    try (Progress progress =
        new Progress(console().err(), console().terminal(), "runs removed", 0)) {
      do {
        if (cursor != null) {
          options.setCursor(cursor);
        }
        PrunedRuns pruned = console().finish(operations.prune(options));
        removed += pruned.prunedRuns();
        progress.done(removed);
        cursor = pruned.nextCursor();
      } while (cursor != null && !console().interruption().isAsked());
    } catch (RunlaneException failure) {
      tell(removed, false);
      told.fail(failure.getMessage() + "; " + removed + " removed before that");
      throw failure;
    }
    told.complete(removed + " removed that ended " + age + " ago");
    tell(removed, cursor == null);
    if (cursor == null) {
      return OperatorExit.DONE;
    }
    console().err().println("runlane: interrupted; the same command goes on");
    return OperatorExit.INTERRUPTED;
  }

  private void tell(long removed, boolean isComplete) {
    console()
        .out()
        .println(
            isJson()
                ? JsonAnswers.object()
                    .put("prunedRuns", removed)
                    .put("complete", isComplete)
                    .toString()
                : PlainText.oneLine(removed + (removed == 1 ? " run" : " runs") + " removed"));
  }
}
