package dev.runlane.cli.operator;

import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.PageOptions;
import dev.runlane.run.RunEventType;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code runlane runs events}. */
@Command(name = "events", header = "Shows the history of a run from its beginning.")
final class RunsEventsCommand extends OperatorCommand {
  @Parameters(paramLabel = "RUN", description = "The id of the run.")
  private String runId = "";

  @Option(
      names = "--heartbeats",
      description = "Shows heartbeats too; they are counted otherwise. JSON has them always.")
  private boolean heartbeats;

  @Mixin
  private PageOptions pages = new PageOptions();

  RunsEventsCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Work work() {
    pages.check();
    return operations -> {
      RunsGetCommand.require(console(), operations, runId);
      Page<RunEventRecord> page =
          pages.read(console(), (limit, from) -> operations.listEvents(runId, limit, from));
      if (isJson()) {
        console().out().println(JsonAnswers.page(page, JsonAnswers::event));
      } else {
        print(page);
      }
      return OperatorExit.DONE;
    };
  }

  private void print(Page<RunEventRecord> page) {
    List<RunEventRecord> shown =
        page.data().stream().filter(row -> heartbeats || !isHeartbeat(row)).toList();
    RunText.events(shown).print(console().out(), console().terminal());
    int hidden = page.data().size() - shown.size();
    if (hidden > 0) {
      console()
          .out()
          .println(
              hidden + (hidden == 1 ? " heartbeat" : " heartbeats") + " not shown: --heartbeats");
    }
    PageOptions.printMore(console(), page);
  }

  static boolean isHeartbeat(RunEventRecord row) {
    return row.event().type() == RunEventType.LEASE_HEARTBEAT;
  }
}
