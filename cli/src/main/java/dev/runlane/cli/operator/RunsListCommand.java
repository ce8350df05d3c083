package dev.runlane.cli.operator;

import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.PageOptions;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code runlane runs list}. */
@Command(
    name = "list",
    header = "Lists runs, the newest first.",
    footer = {"Example:", "  runlane runs list --status failed --task charge --since 1d"})
final class RunsListCommand extends OperatorCommand {
  @Mixin
  private RunFilterOptions filter = new RunFilterOptions();

  @Mixin
  private PageOptions pages = new PageOptions();

  RunsListCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Work work() {
    Instant now = console().clock().now();
    RunFilter wanted = filter.filter(now);
    pages.check();
    return operations -> {
      Page<RunSummary> page =
          pages.read(console(), (limit, from) -> operations.listRuns(wanted, limit, from));
      if (isJson()) {
        console().out().println(JsonAnswers.page(page, JsonAnswers::summary));
      } else if (page.data().isEmpty()) {
        console().err().println("No run fits.");
      } else {
        RunText.list(page.data(), now).print(console().out(), console().terminal());
        PageOptions.printMore(console(), page);
      }
      return OperatorExit.DONE;
    };
  }
}
