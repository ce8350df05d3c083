package dev.runlane.cli.operator;

import com.fasterxml.jackson.databind.node.ObjectNode;
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
import dev.runlane.operator.log.LogLevel;
import dev.runlane.operator.log.LogLine;
import dev.runlane.storage.read.Page;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code runlane runs log}. */
@Command(name = "log", header = "Shows the lines that the run's handlers wrote, by attempt.")
final class RunsLogCommand extends OperatorCommand {
  @Parameters(paramLabel = "RUN", description = "The id of the run.")
  private String runId = "";

  @Mixin
  private PageOptions pages = new PageOptions();

  RunsLogCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Work work() {
    pages.check();
    return operations -> {
      RunsGetCommand.require(console(), operations, runId);
      Page<LogLine> page =
          pages.read(console(), (limit, from) -> operations.log(runId, limit, from));
      if (isJson()) {
        console().out().println(JsonAnswers.page(page, RunsLogCommand::json));
      } else if (page.data().isEmpty()) {
        console().err().println("Its handlers wrote nothing.");
      } else {
        print(page);
      }
      return OperatorExit.DONE;
    };
  }

  private void print(Page<LogLine> page) {
    Table table = new Table(
        Column.whole("AT"),
        Column.number("ATTEMPT"),
        Column.whole("LEVEL"),
        Column.shrinking("TEXT"),
        Column.shrinking("FIELDS"));
    page.data()
        .forEach(line -> table.add(
            Cell.of(PlainText.instant(line.at())),
            Cell.of(line.attempt()),
            new Cell(line.level().value(), style(line.level())),
            Cell.of(line.text()),
            new Cell(fields(line.fields()), Style.DIM)));
    table.print(console().out(), console().terminal());
    PageOptions.printMore(console(), page);
  }

  private static Style style(LogLevel level) {
    return switch (level) {
      case ERROR -> Style.BAD;
      case WARN -> Style.WARNING;
      default -> Style.PLAIN;
    };
  }

  private static String fields(Map<String, String> fields) {
    return new TreeMap<>(fields)
        .entrySet().stream()
            .map(field -> field.getKey() + "=" + field.getValue())
            .collect(Collectors.joining(" "));
  }

  private static ObjectNode json(LogLine line) {
    ObjectNode answer = JsonAnswers.object()
        .put("runId", line.runId())
        .put("attempt", line.attempt())
        .put("number", line.number())
        .put("at", line.at().toString())
        .put("level", line.level().value())
        .put("text", line.text());
    new TreeMap<>(line.fields()).forEach(answer.putObject("fields")::put);
    return answer;
  }
}
