package dev.runlane.cli.operator;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.storage.limit.PublishedQueue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code runlane queues list}. */
@Command(
    name = "list",
    header =
        "Lists the queues of all living processes with the limit that holds among them, the lowest.")
final class QueuesListCommand extends OperatorCommand {
  QueuesListCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  Work work() {
    return operations -> {
      Map<String, List<PublishedQueue>> queues = new TreeMap<>();
      for (PublishedQueue queue : console().await(operations.listQueues())) {
        queues.computeIfAbsent(queue.queue(), name -> new ArrayList<>()).add(queue);
      }
      if (isJson()) {
        printJson(queues);
      } else if (queues.isEmpty()) {
        console().err().println("No living process has a queue.");
      } else {
        print(queues);
      }
      return OperatorExit.DONE;
    };
  }

  private void print(Map<String, List<PublishedQueue>> queues) {
    Table table = new Table(
        Column.shrinking("QUEUE"),
        Column.number("LIMIT"),
        Column.number("PROCESSES"),
        Column.shrinking("NOTE"));
    queues.forEach((name, published) -> {
      Integer limit = lowest(published);
      table.add(
          Cell.of(name),
          Cell.of(limit == null ? "none" : limit),
          Cell.of(published.size()),
          new Cell(isEqual(published) ? "" : "processes have different limits", Style.WARNING));
    });
    table.print(console().out(), console().terminal());
  }

  private void printJson(Map<String, List<PublishedQueue>> queues) {
    ObjectNode answer = JsonAnswers.object();
    ArrayNode data = answer.putArray("data");
    queues.forEach((name, published) -> {
      ObjectNode queue =
          data.addObject().put("queue", name).put("concurrencyLimit", lowest(published));
      ArrayNode processes = queue.putArray("processes");
      published.forEach(each -> processes
          .addObject()
          .put("processId", each.processId())
          .put("concurrencyLimit", each.concurrencyLimit())
          .put("expiresAt", each.expiresAt().toString()));
    });
    console().out().println(answer);
  }

  private static @Nullable Integer lowest(List<PublishedQueue> published) {
    return published.stream()
        .map(PublishedQueue::concurrencyLimit)
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  private static boolean isEqual(List<PublishedQueue> published) {
    return published.stream()
        .allMatch(
            each -> Objects.equals(each.concurrencyLimit(), published.get(0).concurrencyLimit()));
  }
}
