package dev.runlane.cli.steps;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.CommandGroup;
import dev.runlane.cli.command.DatabaseCommand;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
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
  static final class Groups extends DatabaseCommand {
    Groups(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Begun begin() {
      return (vertx, settings) -> {
        List<WaitingGroup> groups = console().await(new WaitingSteps(vertx, settings).groups());
        if (isJson()) {
          ObjectNode answer = JsonAnswers.object();
          ArrayNode data = answer.putArray("data");
          groups.forEach(each -> data.add(json(each)));
          console().out().println(answer);
        } else if (groups.isEmpty()) {
          console().err().println("No step waits.");
        } else {
          print(groups);
        }
        return OperatorExit.DONE;
      };
    }

    private void print(List<WaitingGroup> groups) {
      Instant now = console().clock().now();
      Table table = new Table(
          Column.shrinking("GROUP"),
          Column.number("WAITING"),
          Column.number("DISPATCHED"),
          Column.number("ATTEMPTS"),
          Column.number("OLDEST"),
          Column.number("DEADLINE"));
      groups.forEach(group -> table.add(
          Cell.of(group.group()),
          Cell.of(group.waiting()),
          Cell.of(group.dispatched()),
          Cell.of(group.mostAttempts()),
          Cell.of(group.oldest() == null ? "" : PlainText.age(group.oldest(), now)),
          deadline(group.deadline(), now)));
      table.print(console().out(), console().terminal());
    }

    private static ObjectNode json(WaitingGroup group) {
      return JsonAnswers.object()
          .put("group", group.group())
          .put("waiting", group.waiting())
          .put("dispatched", group.dispatched())
          .put("mostAttempts", group.mostAttempts())
          .put("oldestRequestedAt", text(group.oldest()))
          .put("firstDeadline", group.deadline().toString());
    }
  }

  /** Shows steps. */
  abstract static class Shown extends DatabaseCommand {
    Shown(OperatorConsole console) {
      super(console);
    }

    final void print(List<WaitingStep> steps) {
      Instant now = console().clock().now();
      Table table = new Table(
          Column.whole("STEP"),
          Column.shrinking("NAME"),
          Column.shrinking("GROUP"),
          Column.number("ATTEMPT"),
          Column.number("AGE"),
          Column.number("DISPATCHED"),
          Column.number("DEADLINE"));
      steps.forEach(step -> table.add(
          Cell.of(step.id()),
          Cell.of(step.name()),
          Cell.of(step.group()),
          Cell.of(step.attempt()),
          Cell.of(step.requestedAt() == null ? "" : PlainText.age(step.requestedAt(), now)),
          step.isOfEndedRun()
              ? new Cell("run ended", Style.DIM)
              : Cell.of(step.dispatchedAt() == null ? "" : PlainText.age(step.dispatchedAt(), now)),
          deadline(step.deadline(), now)));
      table.print(console().out(), console().terminal());
    }

    static ObjectNode json(WaitingStep step) {
      return JsonAnswers.object()
          .put("id", step.id())
          .put("runId", step.runId())
          .put("name", step.name())
          .put("group", step.group())
          .put("attempt", step.attempt())
          .put("requestedAt", text(step.requestedAt()))
          .put("dispatchedAt", text(step.dispatchedAt()))
          .put("nextAt", step.nextAt().toString())
          .put("deadline", step.deadline().toString())
          .put("runEnded", step.isOfEndedRun());
    }

    final void answer(List<WaitingStep> steps, @Nullable String cursor) {
      if (isJson()) {
        ObjectNode answer = JsonAnswers.object();
        ArrayNode data = answer.putArray("data");
        steps.forEach(each -> data.add(json(each)));
        answer.put("nextCursor", cursor);
        console().out().println(answer);
      } else if (steps.isEmpty()) {
        console().err().println("No step waits.");
      } else {
        print(steps);
        if (cursor != null) {
          console().out().println("More: --cursor " + cursor);
        }
      }
    }
  }

  /** {@code runlane steps list}. */
  @Command(
      name = "list",
      header = "Lists steps that wait, by their ids.",
      footer = {"Example:", "  runlane steps list --group renderers"})
  static final class ListSteps extends Shown {
    private static final int MOST = 10_000;

    @Option(names = "--group", paramLabel = "GROUP", description = "Of this group only.")
    private @Nullable String group;

    @Option(
        names = {"-n", "--limit"},
        paramLabel = "N",
        description = "How many at most. Default: ${DEFAULT-VALUE}.")
    private int limit = 50;

    @Option(names = "--cursor", paramLabel = "STEP", description = "Those behind this one.")
    private @Nullable String cursor;

    ListSteps(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Begun begin() {
      if (limit < 1 || limit > MOST) {
        throw new UsageException("--limit must be 1 to " + MOST + ", was " + limit);
      }
      return (vertx, settings) -> {
        List<WaitingStep> found = console()
            .await(new WaitingSteps(vertx, settings).steps(null, group, cursor, limit + 1));
        List<WaitingStep> shown = found.subList(0, Math.min(limit, found.size()));
        answer(shown, found.size() > limit ? shown.get(limit - 1).id() : null);
        return OperatorExit.DONE;
      };
    }
  }

  /** {@code runlane steps get}. */
  @Command(
      name = "get",
      header = "Shows the steps that one run waits for.",
      description = "`runlane runs cancel RUN` gives them up with their run.")
  static final class OfRun extends Shown {
    private static final int MOST_OF_RUN = 1_000;

    @Parameters(paramLabel = "RUN", description = "The id of the run.")
    private String runId = "";

    OfRun(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Begun begin() {
      return (vertx, settings) -> {
        List<WaitingStep> found = console()
            .await(new WaitingSteps(vertx, settings).steps(runId, null, null, MOST_OF_RUN));
        answer(found, null);
        return OperatorExit.DONE;
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
