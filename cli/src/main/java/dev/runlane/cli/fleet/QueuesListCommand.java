package dev.runlane.cli.fleet;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.operator.depth.DepthSample;
import dev.runlane.operator.depth.QueueDepth;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.storage.limit.PublishedQueue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code runlane queues list}. */
@Command(
    name = "list",
    header =
        "Lists queues with the lowest limit of living processes, what waits in them, and who paused them.")
final class QueuesListCommand extends OperatorCommand {
  QueuesListCommand(OperatorConsole console) {
    super(console);
  }

  /**
   * What is known of one queue.
   *
   * @param published what living processes have published of it
   * @param depth what waits in it, or null: nothing, or it was never counted
   * @param paused who paused it, or null
   */
  private record Known(
      List<PublishedQueue> published,
      @Nullable QueueDepth depth,
      @Nullable PausedQueue paused) {
    private static final Known NOTHING = new Known(List.of(), null, null);

    Known with(PublishedQueue queue) {
      List<PublishedQueue> all = new ArrayList<>(published);
      all.add(queue);
      return new Known(all, depth, paused);
    }

    Known with(QueueDepth counted) {
      return new Known(published, counted, paused);
    }

    Known with(PausedQueue pause) {
      return new Known(published, depth, pause);
    }
  }

  @Override
  protected Work work() {
    return operations -> {
      Map<String, Known> queues = new TreeMap<>();
      console()
          .await(operations.listQueues())
          .forEach(each ->
              queues.compute(each.queue(), (name, known) -> orNothing(known).with(each)));
      Optional<DepthSample> sample = console().await(operations.depths());
      sample.ifPresent(counted -> counted
          .queues()
          .forEach(each ->
              queues.compute(each.queue(), (name, known) -> orNothing(known).with(each))));
      console()
          .await(operations.pausedQueues())
          .forEach(each ->
              queues.compute(each.queue(), (name, known) -> orNothing(known).with(each)));
      if (isJson()) {
        printJson(queues, sample);
      } else if (queues.isEmpty()) {
        console().err().println("No living process has a queue, and nothing waits.");
      } else {
        print(queues);
      }
      return OperatorExit.DONE;
    };
  }

  private static Known orNothing(@Nullable Known known) {
    return known == null ? Known.NOTHING : known;
  }

  private void print(Map<String, Known> queues) {
    Instant now = console().clock().now();
    Table table = new Table(
        Column.shrinking("QUEUE"),
        Column.number("LIMIT"),
        Column.number("PROCESSES").spare(1),
        Column.number("WAITING"),
        Column.number("LATER").spare(2),
        Column.number("HELD").spare(3),
        Column.number("OLDEST"),
        Column.shrinking("NOTE"));
    queues.forEach((name, known) -> {
      Integer limit = lowest(known.published());
      QueueDepth depth = known.depth();
      table.add(
          Cell.of(name),
          Cell.of(known.published().isEmpty() ? "" : limit == null ? "none" : limit),
          Cell.of(known.published().size()),
          Cell.of(depth == null ? 0 : depth.waiting()),
          Cell.of(depth == null ? 0 : depth.later()),
          Cell.of(depth == null ? 0 : depth.held()),
          Cell.of(
              depth == null || depth.oldestDueAt() == null
                  ? ""
                  : PlainText.age(depth.oldestDueAt(), now)),
          new Cell(note(known, now), Style.WARNING));
    });
    table.print(console().out(), console().terminal());
  }

  private static String note(Known known, Instant now) {
    List<String> notes = new ArrayList<>();
    PausedQueue paused = known.paused();
    if (paused != null) {
      notes.add("paused by " + FleetText.actor(paused.actor()) + " "
          + PlainText.age(paused.pausedAt(), now) + " ago"
          + (paused.reason() == null ? "" : ": " + paused.reason()));
    }
    if (known.published().isEmpty()) {
      notes.add("no living process has it");
    }
    if (!isEqual(known.published())) {
      notes.add("processes have different limits");
    }
    return String.join("; ", notes);
  }

  private void printJson(Map<String, Known> queues, Optional<DepthSample> sample) {
    ObjectNode answer = JsonAnswers.object();
    answer.put("countedAt", sample.map(counted -> counted.takenAt().toString()).orElse(null));
    ArrayNode data = answer.putArray("data");
    queues.forEach((name, known) -> {
      QueueDepth depth = known.depth();
      ObjectNode queue = data.addObject()
          .put("queue", name)
          .put("concurrencyLimit", lowest(known.published()))
          .put("waiting", depth == null ? 0 : depth.waiting())
          .put("later", depth == null ? 0 : depth.later())
          .put("held", depth == null ? 0 : depth.held())
          .put("oldestDueAt", depth == null ? null : FleetText.text(depth.oldestDueAt()));
      PausedQueue paused = known.paused();
      if (paused == null) {
        queue.putNull("paused");
      } else {
        queue
            .putObject("paused")
            .put("by", FleetText.actor(paused.actor()))
            .put("at", paused.pausedAt().toString())
            .put("reason", paused.reason());
      }
      ArrayNode processes = queue.putArray("processes");
      known.published().forEach(each -> processes
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
