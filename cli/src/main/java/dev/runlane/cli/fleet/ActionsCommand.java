package dev.runlane.cli.fleet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.CommandGroup;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.PageOptions;
import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.operator.action.ActionFilter;
import dev.runlane.operator.action.OperatorAction;
import dev.runlane.storage.read.Page;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code runlane actions}. */
@Command(
    name = "actions",
    description = "What operators did, over the API or with this command.",
    subcommands = ActionsCommand.ListActions.class)
public final class ActionsCommand extends CommandGroup {
  ActionsCommand() {}

  /** {@code runlane actions list}. */
  @Command(
      name = "list",
      header = "Lists what operators did, the latest first.",
      footer = {
        "Examples:",
        "  runlane actions list --actor olga --since 1d",
        "  runlane actions list --action queue.pause --target mail"
      })
  static final class ListActions extends OperatorCommand {
    @Option(names = "--actor", paramLabel = "NAME", description = "Done by exactly this actor.")
    private @Nullable String actor;

    @Option(
        names = "--action",
        paramLabel = "ACTION",
        description = "Exactly this, such as queue.pause.")
    private @Nullable String action;

    @Option(
        names = "--target",
        paramLabel = "TARGET",
        description = "Done to exactly this, such as the name of a queue.")
    private @Nullable String target;

    @Option(
        names = "--since",
        paramLabel = "TIME",
        description =
            "Recorded at that instant or later: 2026-11-23T10:00:00Z, 2026-11-23 for its midnight in UTC, or how"
                + " long ago: 15m, 7d.")
    private @Nullable String since;

    @Option(names = "--until", paramLabel = "TIME", description = "Recorded before that.")
    private @Nullable String until;

    @Mixin
    private PageOptions pages = new PageOptions();

    ListActions(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Work work() {
      pages.check();
      boolean isRelative = TimeText.isAgo(since) || TimeText.isAgo(until);
      Instant now = console().clock().now();
      Instant askedAt = isRelative ? pages.askedAt(now) : now;
      ActionFilter filter = filter(askedAt);
      return operations -> {
        PageOptions.Pages<OperatorAction> listed =
            (limit, cursor) -> operations.actions(filter, limit, cursor);
        Page<OperatorAction> page = isRelative
            ? pages.readAskedAt(askedAt, console(), listed)
            : pages.read(console(), listed);
        if (isJson()) {
          console().out().println(JsonAnswers.page(page, ListActions::json));
        } else if (page.data().isEmpty()) {
          console()
              .err()
              .println(
                  filter.equals(ActionFilter.ALL)
                      ? "Nothing was done yet."
                      : "No action is like this.");
        } else {
          table(page.data()).print(console().out(), console().terminal());
          PageOptions.printMore(console(), page);
        }
        return OperatorExit.DONE;
      };
    }

    private ActionFilter filter(Instant now) {
      return new ActionFilter(
          actor,
          action,
          target,
          since == null ? null : TimeText.past("--since", since, now),
          until == null ? null : TimeText.past("--until", until, now));
    }

    private static Table table(List<OperatorAction> actions) {
      Table table = new Table(
          Column.whole("AT"),
          Column.shrinking("ACTOR").spare(3),
          Column.whole("ACTION"),
          Column.shrinking("TARGET"),
          Column.shrinking("RESULT").spare(1),
          Column.shrinking("REASON").spare(2));
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
