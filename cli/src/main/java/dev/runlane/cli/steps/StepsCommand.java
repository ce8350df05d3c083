package dev.runlane.cli.steps;

import com.fasterxml.jackson.databind.node.ArrayNode;
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
import dev.runlane.operator.step.StepGroup;
import dev.runlane.operator.step.WaitingStep;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.Page;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code runlane steps}. */
@Command(
    name = "steps",
    description = "Remote steps that wait for a worker of another process.",
    subcommands = {StepsCommand.Groups.class, StepsCommand.ListSteps.class, StepsCommand.OfRun.class
    })
public final class StepsCommand extends CommandGroup {
  StepsCommand() {}

  /** {@code runlane steps groups}. */
  @Command(
      name = "groups",
      header =
          "Lists groups with steps that wait: how many, since when, and with how many attempts.",
      description = "DISPATCHED are those that workers were asked for; the others are to be.")
  static final class Groups extends OperatorCommand {
    Groups(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Work work() {
      return operations -> {
        Page<StepGroup> groups = console().await(operations.stepGroups());
        if (isJson()) {
          ObjectNode answer = JsonAnswers.object();
          ArrayNode data = answer.putArray("data");
          groups.data().forEach(each -> data.add(json(each)));
          console().out().println(answer.put("isCut", groups.isCut()));
        } else if (groups.data().isEmpty() && !groups.isCut()) {
          console().err().println("No step waits.");
        } else {
          print(groups);
        }
        return OperatorExit.DONE;
      };
    }

    private void print(Page<StepGroup> groups) {
      Instant now = console().clock().now();
      Table table = new Table(
          Column.shrinking("GROUP"),
          Column.number("WAITING"),
          Column.number("DISPATCHED").spare(2),
          Column.number("ATTEMPTS").spare(1),
          Column.number("OLDEST"),
          Column.number("DEADLINE"));
      groups
          .data()
          .forEach(group -> table.add(
              Cell.of(group.group()),
              Cell.of(group.waiting()),
              Cell.of(group.dispatched()),
              Cell.of(group.mostAttempts()),
              Cell.of(
                  group.oldestRequestedAt() == null
                      ? ""
                      : PlainText.age(group.oldestRequestedAt(), now)),
              deadline(group.firstDeadlineAt(), now)));
      table.print(console().out(), console().terminal());
      if (groups.isCut()) {
        console().out().println("Very many steps wait: only the first of them are counted.");
      }
    }

    private static ObjectNode json(StepGroup group) {
      return JsonAnswers.object()
          .put("group", group.group())
          .put("waiting", group.waiting())
          .put("dispatched", group.dispatched())
          .put("mostAttempts", group.mostAttempts())
          .put("oldestRequestedAt", text(group.oldestRequestedAt()))
          .put("firstDeadline", group.firstDeadlineAt().toString());
    }
  }

  /** Shows steps. */
  abstract static class Shown extends OperatorCommand {
    Shown(OperatorConsole console) {
      super(console);
    }

    private void print(Page<WaitingStep> page) {
      Instant now = console().clock().now();
      Table table = new Table(
          Column.whole("STEP"),
          Column.shrinking("NAME"),
          Column.shrinking("GROUP"),
          Column.number("ATTEMPT").spare(3),
          Column.number("AGE").spare(2),
          Column.number("DISPATCHED").spare(1),
          Column.number("DEADLINE"));
      page.data()
          .forEach(step -> table.add(
              Cell.of(step.id()),
              Cell.of(step.name()),
              Cell.of(step.group()),
              Cell.of(step.attempt()),
              Cell.of(step.requestedAt() == null ? "" : PlainText.age(step.requestedAt(), now)),
              step.runEnded()
                  ? new Cell("run ended", Style.DIM)
                  : Cell.of(
                      step.dispatchedAt() == null ? "" : PlainText.age(step.dispatchedAt(), now)),
              deadline(step.deadlineAt(), now)));
      table.print(console().out(), console().terminal());
      PageOptions.printMore(console(), page);
    }

    private static ObjectNode json(WaitingStep step) {
      return JsonAnswers.object()
          .put("id", step.id())
          .put("runId", step.runId())
          .put("name", step.name())
          .put("group", step.group())
          .put("attempt", step.attempt())
          .put("requestedAt", text(step.requestedAt()))
          .put("dispatchedAt", text(step.dispatchedAt()))
          .put("nextAt", step.nextAt().toString())
          .put("deadline", step.deadlineAt().toString())
          .put("runEnded", step.runEnded());
    }

    /** The steps of a run, or of all and of a group where one is given. */
    final Work shown(@Nullable String runId, @Nullable String group, PageOptions pages) {
      pages.check();
      return operations -> {
        Page<WaitingStep> page =
            pages.read(console(), (limit, from) -> operations.steps(runId, group, limit, from));
        if (isJson()) {
          console().out().println(JsonAnswers.page(page, Shown::json));
        } else if (page.data().isEmpty()) {
          console().err().println("No step waits.");
        } else {
          print(page);
        }
        return OperatorExit.DONE;
      };
    }
  }

  /** {@code runlane steps list}. */
  @Command(
      name = "list",
      header = "Lists steps that wait, by their ids.",
      footer = {"Example:", "  runlane steps list --group renderers"})
  static final class ListSteps extends Shown {
    @Option(names = "--group", paramLabel = "GROUP", description = "Of this group only.")
    private @Nullable String group;

    @Mixin
    private PageOptions pages = new PageOptions();

    ListSteps(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Work work() {
      return shown(null, group, pages);
    }
  }

  /** {@code runlane steps get}. */
  @Command(
      name = "get",
      header = "Shows the steps that one run waits for.",
      description = "`runlane runs cancel RUN` gives them up with their run.")
  static final class OfRun extends Shown {
    @Parameters(paramLabel = "RUN", description = "The id of the run.")
    private String runId = "";

    @Mixin
    private PageOptions pages = new PageOptions();

    OfRun(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Work work() {
      Work shown = shown(runId, null, pages);
      return operations -> {
        if (console().await(operations.getRun(runId)).isEmpty()) {
          throw RunlaneException.of(ErrorCode.RUN_NOT_FOUND, "run %s does not exist", runId);
        }
        return shown.on(operations);
      };
    }
  }

  private static Cell deadline(Instant deadline, Instant now) {
    return new Cell(PlainText.age(deadline, now), deadline.isBefore(now) ? Style.BAD : Style.PLAIN);
  }

  private static @Nullable String text(@Nullable Instant at) {
    return at == null ? null : at.toString();
  }
}
