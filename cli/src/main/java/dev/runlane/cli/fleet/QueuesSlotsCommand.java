package dev.runlane.cli.fleet;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.client.OccupiedSlots;
import dev.runlane.operator.queue.OccupiedPartition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code runlane queues slots}. */
@Command(
    name = "slots",
    header = "Lists the concurrency keys that hold slots of a bounded queue, the fullest first.",
    description = {
      "LIMIT is that of each key. Which runs have them: runlane runs list --queue QUEUE --status running"
          + " --concurrency-key KEY."
    },
    footer = {"Example:", "  runlane queues slots payments"})
final class QueuesSlotsCommand extends OperatorCommand {
  private static final int MOST = 200;

  @Parameters(paramLabel = "QUEUE", description = "The queue.")
  private String queue = "";

  @Option(
      names = {"-n", "--limit"},
      paramLabel = "N",
      description = "How many keys at most, up to 200. Default: ${DEFAULT-VALUE}.")
  private int limit = 50;

  QueuesSlotsCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Work work() {
    if (limit < 1 || limit > MOST) {
      throw new UsageException("--limit must be 1 to " + MOST + ", was " + limit);
    }
    return operations -> {
      OccupiedSlots slots = console().await(operations.occupied(queue, limit));
      if (isJson()) {
        console().out().println(json(slots));
      } else if (slots.keys().isEmpty()) {
        console()
            .err()
            .println(PlainText.oneLine("No run holds a slot of queue " + queue
                + (slots.concurrencyLimit() == null
                    ? ", which has no limit, as far as a living process says."
                    : ".")));
      } else {
        print(slots);
      }
      return OperatorExit.DONE;
    };
  }

  private void print(OccupiedSlots slots) {
    Integer most = slots.concurrencyLimit();
    Table table = new Table(
        Column.shrinking("KEY"),
        Column.number("OCCUPIED"),
        Column.number("LIMIT"),
        Column.whole("NOTE"));
    for (OccupiedPartition each : slots.keys()) {
      table.add(
          Cell.of(each.concurrencyKey() == null ? "(no key)" : each.concurrencyKey()),
          Cell.of(each.occupied()),
          Cell.of(most == null ? "" : most),
          new Cell(most != null && each.occupied() >= most ? "full" : "", Style.WARNING));
    }
    table.print(console().out(), console().terminal());
  }

  private static ObjectNode json(OccupiedSlots slots) {
    ObjectNode answer = JsonAnswers.object();
    if (slots.concurrencyLimit() != null) {
      answer.put("concurrencyLimit", slots.concurrencyLimit());
    }
    ArrayNode data = answer.putArray("data");
    slots.keys().forEach(each -> {
      ObjectNode row = data.addObject();
      if (each.concurrencyKey() != null) {
        row.put("concurrencyKey", each.concurrencyKey());
      }
      row.put("occupied", each.occupied());
    });
    return answer;
  }
}
