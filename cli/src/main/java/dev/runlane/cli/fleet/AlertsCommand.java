package dev.runlane.cli.fleet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.ActionOptions;
import dev.runlane.cli.command.CommandGroup;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.PageOptions;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.operator.alert.Alert;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code runlane alerts}. */
@Command(
    name = "alerts",
    description = "Alerts that rules have opened, and the silence of rules.",
    subcommands = {
      AlertsCommand.ListAlerts.class,
      AlertsCommand.Silence.class,
      AlertsCommand.Unsilence.class
    })
public final class AlertsCommand extends CommandGroup {
  AlertsCommand() {}

  /** {@code runlane alerts list}. */
  @Command(
      name = "list",
      header = "Lists alerts, those that were opened last first; resolved ones for 30 days.",
      description =
          "UNTOLD counts deliveries that are still to be made, those that a silence holds too.",
      footer = {"Example:", "  runlane alerts list --state open"})
  static final class ListAlerts extends OperatorCommand {
    @Option(names = "--rule", paramLabel = "RULE", description = "Those of this rule.")
    private @Nullable String rule;

    @Option(
        names = {"-s", "--state"},
        paramLabel = "STATE",
        description = "open or resolved. Default: both.")
    private @Nullable String state;

    @Mixin
    private PageOptions pages = new PageOptions();

    ListAlerts(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Work work() {
      pages.check();
      Optional<Boolean> isOpen = Optional.ofNullable(state).map(ListAlerts::isOpen);
      return operations -> {
        Page<Alert> page = pages.read(
            console(),
            (limit, cursor) -> operations.alerts(rule, isOpen.orElse(null), limit, cursor));
        if (isJson()) {
          console().out().println(JsonAnswers.page(page, ListAlerts::json));
        } else if (page.data().isEmpty()) {
          console().err().println("No alert fits.");
        } else {
          print(page);
        }
        return OperatorExit.DONE;
      };
    }

    private static Boolean isOpen(String state) {
      return switch (state) {
        case "open" -> true;
        case "resolved" -> false;
        default -> throw new UsageException("--state: there is no state " + state);
      };
    }

    private void print(Page<Alert> page) {
      Table table = new Table(
          Column.whole("OPENED"),
          Column.shrinking("RULE"),
          Column.whole("STATE"),
          Column.number("UNTOLD").spare(1),
          Column.shrinking("SUBJECT"),
          Column.shrinking("TEXT").spare(2));
      page.data()
          .forEach(alert -> table.add(
              Cell.of(PlainText.instant(alert.openedAt())),
              Cell.of(alert.ruleId()),
              new Cell(state(alert), alert.isOpen() ? Style.BAD : Style.GOOD),
              Cell.of(alert.untold()),
              Cell.of(alert.subject()),
              Cell.of(alert.text())));
      table.print(console().out(), console().terminal());
      PageOptions.printMore(console(), page);
    }

    private static String state(Alert alert) {
      return alert.isOpen() ? "open" : "resolved";
    }

    private static ObjectNode json(Alert alert) {
      ObjectNode answer = JsonAnswers.object()
          .put("id", alert.id())
          .put("ruleId", alert.ruleId())
          .put("subject", alert.subject())
          .put("text", alert.text())
          .put("state", state(alert))
          .put("openedAt", alert.openedAt().toString())
          .put("lastSeenAt", alert.lastSeenAt().toString());
      if (alert.resolvedAt() != null) {
        answer.put("resolvedAt", alert.resolvedAt().toString());
      }
      return answer.put("untold", alert.untold());
    }
  }

  /** Something that is done to one rule. */
  abstract static class OnRule extends OperatorCommand {
    @Parameters(paramLabel = "RULE", description = "The id of the rule.")
    private String rule = "";

    @Mixin
    private ActionOptions action = new ActionOptions();

    OnRule(OperatorConsole console) {
      super(console);
    }

    /** Throws {@link UsageException}. */
    void check() {}

    /** Does it. Answers the rule's version; empty where there is no such rule. */
    abstract Future<Optional<Long>> act(
        Operations operations, String ruleId, RunActionOptions options);

    /** What has become of it. */
    abstract String done();

    @Override
    protected final Work work() {
      check();
      RunActionOptions options = action.options(console().variables());
      return operations -> {
        Optional<Long> version = console().await(act(operations, rule, options));
        if (version.isEmpty()) {
          console()
              .err()
              .println(PlainText.oneLine("runlane: there is no alert rule " + rule
                  + ", or somebody changed it at the same time"));
          return OperatorExit.NOT_FOUND;
        }
        console()
            .out()
            .println(
                isJson()
                    ? JsonAnswers.object()
                        .put("id", rule)
                        .put("version", version.get())
                        .toString()
                    : PlainText.oneLine("Rule " + rule + " " + done()));
        return OperatorExit.DONE;
      };
    }
  }

  /** {@code runlane alerts silence}. */
  @Command(
      name = "silence",
      header = "Has nobody told of what a rule finds, for a time or until an instant.",
      description =
          "Alerts open and are resolved all the same; what is to be told is held until then.",
      footer = {"Example:", "  runlane alerts silence late-mails --for 2h --reason 'we know'"})
  static final class Silence extends OnRule {
    @Option(
        names = "--for",
        paramLabel = "TIME",
        description = "How long from now on: 30m, 2h, 7d; at most 365 days.")
    private @Nullable String length;

    @Option(
        names = "--until",
        paramLabel = "TIME",
        description = "Until that instant: 2026-11-23T10:00:00Z.")
    private @Nullable String until;

    private @Nullable Duration lasting;
    private @Nullable Instant end;

    Silence(OperatorConsole console) {
      super(console);
    }

    @Override
    void check() {
      if ((length == null) == (until == null)) {
        throw new UsageException("say either --for how long or --until when");
      }
      lasting = length == null ? null : TimeText.positive("--for", length);
      end = until == null ? null : TimeText.instant("--until", until);
    }

    @Override
    Future<Optional<Long>> act(Operations operations, String ruleId, RunActionOptions options) {
      return lasting == null
          ? operations.silence(ruleId, end, options)
          : operations.silenceFor(ruleId, lasting, options);
    }

    @Override
    String done() {
      return "is silent " + (lasting == null ? "until " + end : "for " + length);
    }
  }

  /** {@code runlane alerts unsilence}. */
  @Command(
      name = "unsilence",
      header = "Has people told again of what a rule finds, of what is still open too.")
  static final class Unsilence extends OnRule {
    Unsilence(OperatorConsole console) {
      super(console);
    }

    @Override
    Future<Optional<Long>> act(Operations operations, String ruleId, RunActionOptions options) {
      return operations.silence(ruleId, null, options);
    }

    @Override
    String done() {
      return "is told of again";
    }
  }
}
