package dev.runlane.cli.fleet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.CommandGroup;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.PageOptions;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.operator.OperatorAction;
import dev.runlane.storage.read.Page;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code runlane actions}. */
@Command(
    name = "actions",
    description = "What operators did, over the API or with this command.",
    subcommands = ActionsCommand.ListActions.class)
public final class ActionsCommand extends CommandGroup {
  ActionsCommand() {}

  /** {@code runlane actions list}. */
  @Command(name = "list", header = "Lists what operators did, the latest first.")
  static final class ListActions extends OperatorCommand {
    @Mixin
    private PageOptions pages = new PageOptions();

    ListActions(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Work work() {
      pages.check();
      return operations -> {
        Page<OperatorAction> page = pages.read(console(), operations::actions);
        if (isJson()) {
          console().out().println(JsonAnswers.page(page, ListActions::json));
        } else if (page.data().isEmpty()) {
          console().err().println("Nothing was done yet.");
        } else {
          table(page.data()).print(console().out(), console().terminal());
          PageOptions.printMore(console(), page);
        }
        return OperatorExit.DONE;
      };
    }

    private static Table table(List<OperatorAction> actions) {
      Table table = new Table(
          Column.whole("AT"),
          Column.shrinking("ACTOR"),
          Column.whole("ACTION"),
          Column.shrinking("TARGET"),
          Column.shrinking("RESULT"),
          Column.shrinking("REASON"));
      actions.forEach(action -> table.add(
          Cell.of(PlainText.instant(action.at())),
          Cell.of(FleetText.actor(action.actor())),
          Cell.of(action.action()),
          Cell.of(Objects.requireNonNullElse(action.target(), "")),
          result(action),
          Cell.of(Objects.requireNonNullElse(action.reason(), ""))));
      return table;
    }

    private static Cell result(OperatorAction action) {
      if (action.succeeded() == null) {
        return new Cell("never ended", Style.WARNING);
      }
      String result = Objects.requireNonNullElse(action.result(), "");
      return new Cell(
          action.succeeded() ? result : "failed: " + result,
          action.succeeded() ? Style.PLAIN : Style.BAD);
    }

    private static ObjectNode json(OperatorAction action) {
      return JsonAnswers.object()
          .put("id", action.id())
          .put("actor", FleetText.actor(action.actor()))
          .put("action", action.action())
          .put("target", action.target())
          .put("reason", action.reason())
          .put("at", action.at().toString())
          .put("succeeded", action.succeeded())
          .put("result", action.result())
          .put("endedAt", FleetText.text(action.endedAt()));
    }
  }
}
