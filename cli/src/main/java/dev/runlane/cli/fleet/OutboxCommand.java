package dev.runlane.cli.fleet;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.ActionOptions;
import dev.runlane.cli.command.CommandGroup;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.PageOptions;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.operator.outbox.OutboxEntry;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.storage.outbox.OutboxMessageStatus;
import dev.runlane.storage.read.Page;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code runlane outbox}. */
@Command(
    name = "outbox",
    description = "Wakeups of runs that are on their way to the transport, or were given up.",
    subcommands = {
      OutboxCommand.ListMessages.class,
      OutboxLagCommand.class,
      OutboxCommand.Redrive.class
    })
public final class OutboxCommand extends CommandGroup {
  private static final int PAGE = 200;

  OutboxCommand() {}

  /** {@code runlane outbox list}. */
  @Command(
      name = "list",
      header = "Lists the outbox messages of one status.",
      footer = {"Example:", "  runlane outbox list --status failed"})
  static final class ListMessages extends OperatorCommand {
    @Option(
        names = {"-s", "--status"},
        paramLabel = "STATUS",
        description = "pending, claimed, failed or dead_lettered. Default: ${DEFAULT-VALUE}.")
    private String status = "dead_lettered";

    @Mixin
    private PageOptions pages = new PageOptions();

    ListMessages(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Work work() {
      OutboxMessageStatus wanted = Arrays.stream(OutboxMessageStatus.values())
          .filter(each -> each != OutboxMessageStatus.PUBLISHED && each.value().equals(status))
          .findFirst()
          .orElseThrow(() -> new UsageException(
              "--status: " + status + " is none of pending, claimed, failed, dead_lettered"));
      pages.check();
      return operations -> {
        Page<OutboxEntry> page =
            pages.read(console(), (limit, from) -> operations.outbox(wanted, limit, from));
        if (isJson()) {
          console().out().println(JsonAnswers.page(page, ListMessages::json));
        } else if (page.data().isEmpty()) {
          console().err().println("No message is " + status + ".");
        } else {
          print(page);
        }
        return OperatorExit.DONE;
      };
    }

    private void print(Page<OutboxEntry> page) {
      Instant now = console().clock().now();
      Table table = new Table(
          Column.whole("MESSAGE"),
          Column.whole("RUN").spare(4),
          Column.shrinking("QUEUE").spare(3),
          Column.number("DUE").spare(2),
          Column.number("FAILED").spare(1),
          Column.shrinking("FAILURE"));
      page.data()
          .forEach(message -> table.add(
              Cell.of(message.id()),
              Cell.of(message.runId()),
              Cell.of(message.queue()),
              Cell.of(
                  message.status() == OutboxMessageStatus.DEAD_LETTERED
                      ? ""
                      : PlainText.age(message.availableAt(), now)),
              Cell.of(message.failedPublishes()),
              new Cell(message.failure() == null ? "" : message.failure().message(), Style.BAD)));
      table.print(console().out(), console().terminal());
      PageOptions.printMore(console(), page);
    }

    private static ObjectNode json(OutboxEntry message) {
      ObjectNode answer = JsonAnswers.object()
          .put("id", message.id())
          .put("runId", message.runId())
          .put("queue", message.queue())
          .put("status", message.status().value())
          .put("availableAt", message.availableAt().toString())
          .put("claimExpiresAt", FleetText.text(message.claimExpiresAt()))
          .put("failedPublishes", message.failedPublishes());
      if (message.failure() == null) {
        return answer.putNull("failure");
      }
      answer
          .putObject("failure")
          .put("code", message.failure().code().value())
          .put("message", message.failure().message());
      return answer;
    }
  }

  /** {@code runlane outbox redrive}. */
  @Command(
      name = "redrive",
      header = "Has messages published again that were given up, or that fail.",
      description =
          "They count as if no publish of them had failed. It may be done again; a run is never doubled by it.",
      exitCodeList = {
        "0:done",
        "1:it could not be done; one line says why, with its code",
        "2:the command line cannot be used",
        "4:a message that was named neither fails nor was given up; the others are done",
        "5:the database, or the API, cannot be reached",
        "130:Ctrl-C"
      },
      footer = {
        "Examples:",
        "  runlane outbox redrive --dead-letters --dry-run",
        "  runlane outbox redrive --dead-letters --yes",
        "  runlane outbox redrive msg_01m84xzyaxwe6637nv8838ye4k --reason 'the broker is back'"
      })
  static final class Redrive extends OperatorCommand {
    @Parameters(paramLabel = "ID", arity = "0..*", description = "The ids of messages.")
    private List<String> ids = List.of();

    @Option(
        names = "--dead-letters",
        description = "All that were given up, instead of ids. With --dry-run or --yes.")
    private boolean deadLetters;

    @Option(names = "--dry-run", description = "Tells which it would be, and does nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "With --dead-letters: does it to all.")
    private boolean yes;

    @Mixin
    private ActionOptions action = new ActionOptions();

    Redrive(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Work work() {
      if (deadLetters != ids.isEmpty()) {
        throw new UsageException("give ids of messages, or --dead-letters");
      }
      if (deadLetters && dryRun == yes) {
        throw new UsageException(
            "with --dead-letters, --dry-run tells the messages that it would be done to, and"
                + " --yes does it");
      }
      RunActionOptions options = action.options(console().variables());
      return operations -> {
        List<String> done = dryRun ? fitting(operations) : redriven(operations, options);
        tell(done);
        if (!dryRun && console().interruption().isAsked()) {
          console().err().println("runlane: interrupted; the same command goes on");
          return OperatorExit.INTERRUPTED;
        }
        return missing(done) ? OperatorExit.NOT_FOUND : OperatorExit.DONE;
      };
    }

    /** Ctrl-C is obeyed between two statements: what was asked for is waited for. */
    private List<String> redriven(Operations operations, RunActionOptions options) {
      List<String> all = new ArrayList<>();
      List<String> some;
      try {
        for (int from = 0; from < ids.size(); from += PAGE) { // as many as one request may have
          List<String> named = ids.subList(from, Math.min(from + PAGE, ids.size()));
          all.addAll(console().finish(operations.redrive(named, options)));
        }
        do {
          some = deadLetters
              ? console().finish(operations.redriveDeadLetters(PAGE, options))
              : List.of();
          all.addAll(some);
        } while (some.size() == PAGE && !console().interruption().isAsked());
      } catch (RunlaneException failure) {
        tell(all);
        console().err().println("runlane: the same command goes on with the others");
        throw failure;
      }
      return all;
    }

    /** Names those on standard error; the others are done all the same. */
    private boolean missing(List<String> done) {
      List<String> missing =
          ids.stream().distinct().filter(id -> !done.contains(id)).toList();
      missing.forEach(id -> console()
          .err()
          .println("runlane: no message " + PlainText.oneLine(id)
              + " fails or was given up (outbox list shows those that do)"));
      return !missing.isEmpty();
    }

    private List<String> fitting(Operations operations) {
      Set<String> found = new LinkedHashSet<>(all(operations, OutboxMessageStatus.DEAD_LETTERED));
      if (!deadLetters) {
        found.addAll(all(operations, OutboxMessageStatus.FAILED));
        found.retainAll(ids);
      }
      return List.copyOf(found);
    }

    private List<String> all(Operations operations, OutboxMessageStatus status) {
      List<String> all = new ArrayList<>();
      String cursor = null;
      do {
        Page<OutboxEntry> page = console().await(operations.outbox(status, PAGE, cursor));
        page.data().forEach(message -> all.add(message.id()));
        cursor = page.nextCursor();
      } while (cursor != null);
      return all;
    }

    private void tell(List<String> messages) {
      if (isJson()) {
        ObjectNode answer = JsonAnswers.object().put("dryRun", dryRun);
        ArrayNode data = answer.putArray("redriven");
        messages.forEach(data::add);
        console().out().println(answer);
        return;
      }
      String count = messages.size() + (messages.size() == 1 ? " message" : " messages");
      console()
          .out()
          .println(
              dryRun
                  ? count + " would be published again. Nothing was done: --yes does it."
                  : count + " will be published again");
    }
  }
}
