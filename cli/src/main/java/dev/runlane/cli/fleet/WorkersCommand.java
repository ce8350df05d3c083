package dev.runlane.cli.fleet;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.PageOptions;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.client.ApiProcess;
import dev.runlane.operator.process.HeldLease;
import dev.runlane.operator.process.KnownProcess;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.storage.read.Page;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code runlane workers}. */
@Command(
    name = "workers",
    header =
        "Lists the processes: where they run, what they do, and when they last gave a sign of life.",
    description =
        "A process that missed three signs of life, 15 s, is gone; it is listed for a day. What it held is shown"
            + " with --leases, and is taken over by others when its leases expire.",
    footer = {"Example:", "  runlane workers --leases PROCESS"})
public final class WorkersCommand extends OperatorCommand {
  private static final int MOST_LEASES = 10_000;
  private static final int PAGE = 200;

  /** From here on leases and schedules of a process are off by what people notice. */
  private static final Duration CLOCK_OFF = Duration.ofSeconds(2);

  @Option(
      names = "--leases",
      paramLabel = "PROCESS",
      description = "The runs that the workers of this process hold, instead.")
  private @Nullable String processId;

  @Mixin
  private PageOptions pages = new PageOptions();

  WorkersCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Work work() {
    pages.check();
    return operations -> {
      if (processId == null) {
        list(operations);
      } else {
        List<HeldLease> leases = console().await(operations.leasesOf(processId, MOST_LEASES));
        if (leases.isEmpty() && !isKnown(operations, processId)) {
          console()
              .err()
              .println("runlane: no process " + PlainText.oneLine(processId)
                  + " has given a sign of life for a day");
          return OperatorExit.NOT_FOUND;
        }
        leases(leases);
      }
      return OperatorExit.DONE;
    };
  }

  private boolean isKnown(Operations operations, String wanted) {
    String cursor = null;
    do {
      Page<ApiProcess> page = console().await(operations.processes(PAGE, cursor));
      if (page.data().stream()
          .anyMatch(each -> each.known().process().processId().equals(wanted))) {
        return true;
      }
      cursor = page.nextCursor();
    } while (cursor != null);
    return false;
  }

  private void list(Operations operations) {
    Page<ApiProcess> page = pages.read(console(), operations::processes);
    if (isJson()) {
      console().out().println(JsonAnswers.page(page, WorkersCommand::json));
    } else if (page.data().isEmpty()) {
      console().err().println("No process has given a sign of life for a day.");
    } else {
      table(page.data(), console().clock().now())
          .print(console().out(), console().terminal());
      PageOptions.printMore(console(), page);
    }
  }

  private static Table table(List<ApiProcess> processes, Instant now) {
    Table table = new Table(
        Column.whole("PROCESS"),
        Column.shrinking("HOST").spare(6),
        Column.shrinking("VERSION").spare(1),
        Column.number("RUNNING"),
        Column.number("SLOTS"),
        Column.number("UP").spare(4),
        Column.number("SEEN"),
        Column.number("CLOCK").spare(3),
        Column.whole("STATE"),
        Column.shrinking("QUEUES").spare(5),
        Column.shrinking("ROLES").spare(2));
    processes.forEach(each -> {
      KnownProcess known = each.known();
      RuntimeProcess process = known.process();
      table.add(
          Cell.of(process.processId()),
          Cell.of(process.host()),
          Cell.of(process.version()),
          Cell.of(process.running()),
          Cell.of(process.slots()),
          Cell.of(PlainText.age(process.startedAt(), each.isGone() ? known.lastSeen() : now)),
          Cell.of(PlainText.age(known.lastSeen(), now)),
          clock(known.clockOffset()),
          each.isGone() ? new Cell("gone", Style.BAD) : new Cell("living", Style.GOOD),
          Cell.of(String.join(",", process.queues())),
          Cell.of(String.join(",", process.roles())));
    });
    return table;
  }

  /** How far the clock is from the database's, the way there included. */
  private static Cell clock(@Nullable Duration offset) {
    if (offset == null) {
      return Cell.of("");
    }
    String size = PlainText.duration(offset.abs());
    return new Cell(
        offset.isNegative() ? "-" + size : "+" + size,
        offset.abs().compareTo(CLOCK_OFF) < 0 ? Style.PLAIN : Style.BAD);
  }

  private static ObjectNode json(ApiProcess each) {
    KnownProcess known = each.known();
    RuntimeProcess process = known.process();
    ObjectNode answer = JsonAnswers.object()
        .put("processId", process.processId())
        .put("host", process.host())
        .put("version", process.version())
        .put("slots", process.slots())
        .put("running", process.running())
        .put("startedAt", process.startedAt().toString())
        .put("lastSeen", known.lastSeen().toString())
        .put("gone", each.isGone());
    if (known.clockOffset() != null) {
      answer.put("clockOffsetMillis", known.clockOffset().toMillis());
    }
    all(answer.putArray("roles"), process.roles());
    all(answer.putArray("queues"), process.queues());
    all(answer.putArray("tasks"), process.taskIds());
    all(answer.putArray("workers"), process.workerIds());
    return answer;
  }

  private static void all(ArrayNode array, List<String> values) {
    values.forEach(array::add);
  }

  private void leases(List<HeldLease> leases) {
    if (isJson()) {
      console().out().println(JsonAnswers.page(new Page<>(leases, null), WorkersCommand::json));
      return;
    }
    if (leases.isEmpty()) {
      console().err().println("Its workers hold no run.");
      return;
    }
    Instant now = console().clock().now();
    Table table = new Table(
        Column.whole("RUN"),
        Column.shrinking("TASK"),
        Column.shrinking("QUEUE").spare(1),
        Column.shrinking("WORKER").spare(2),
        Column.number("UNTIL"));
    leases.forEach(lease -> table.add(
        Cell.of(lease.runId()),
        Cell.of(lease.taskId()),
        Cell.of(lease.queue()),
        Cell.of(lease.workerId()),
        Cell.of(PlainText.age(lease.expiresAt(), now))));
    table.print(console().out(), console().terminal());
    if (leases.size() == MOST_LEASES) {
      console().err().println("These are the first " + MOST_LEASES + "; there may be more.");
    }
  }

  private static ObjectNode json(HeldLease lease) {
    return JsonAnswers.object()
        .put("runId", lease.runId())
        .put("taskId", lease.taskId())
        .put("queue", lease.queue())
        .put("workerId", lease.workerId())
        .put("expiresAt", lease.expiresAt().toString());
  }
}
