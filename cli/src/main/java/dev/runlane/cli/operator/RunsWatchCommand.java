package dev.runlane.cli.operator;

import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code runlane runs watch}. */
@Command(
    name = "watch",
    header = "Follows a run until it has ended: its events so far, then each as it comes.",
    exitCodeList = {
      "0:the run succeeded",
      "1:it failed, or could not be followed; one line says why, with its code",
      "2:the command line cannot be used",
      "3:the run was cancelled",
      "4:there is no such run",
      "5:the database, or the API, cannot be reached",
      "130:Ctrl-C; the run goes on"
    })
final class RunsWatchCommand extends OperatorCommand {
  @Parameters(paramLabel = "RUN", description = "The id of the run.")
  private String runId = "";

  @Option(names = "--heartbeats", description = "Shows heartbeats too.")
  private boolean heartbeats;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      description =
          "Gives up after so long, such as 10m, with operation_cancelled. Default: never.")
  private @Nullable String timeout;

  RunsWatchCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Work work() {
    Duration patience = timeout == null ? null : TimeText.duration("--timeout", timeout);
    return operations -> {
      RunsGetCommand.require(console(), operations, runId);
      return new Followed(operations, console(), runId, isJson(), heartbeats).untilEnd(patience);
    };
  }

  /** One run that is followed. */
  static final class Followed {
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    private static final int PAGE = 200;

    /** How long what cannot be reached is asked again = 1 min: a server may be started anew meanwhile. */
    private static final Duration LONGEST_AWAY = Duration.ofMinutes(1);

    private final Operations operations;
    private final OperatorConsole console;
    private final String runId;
    private final boolean json;
    private final boolean heartbeats;
    private final long begun = System.nanoTime();
    private @Nullable Duration patience; // null: for ever
    private @Nullable String cursor; // of the last page that was full
    private long shown;

    Followed(
        Operations operations,
        OperatorConsole console,
        String runId,
        boolean json,
        boolean heartbeats) {
      this.operations = operations;
      this.console = console;
      this.runId = runId;
      this.json = json;
      this.heartbeats = heartbeats;
    }

    /** Follows it for {@code patience}, null for ever. Fails with {@code OperationCancelled} after that. */
    OperatorExit untilEnd(@Nullable Duration patience) {
      this.patience = patience;
      long pause = FIRST_PAUSE_MILLIS;
      while (true) {
        RunRecord run = asked(() -> RunsGetCommand.require(console, operations, runId));
        long before = shown;
        showNew();
        if (run.status().isTerminal()) {
          return end(run);
        }
        requirePatience();
        pause = shown > before ? FIRST_PAUSE_MILLIS : Math.min(pause * 2, LONGEST_PAUSE_MILLIS);
        console.pause(pause);
      }
    }

    private void requirePatience() {
      Duration longest = patience;
      if (longest != null && System.nanoTime() - begun > longest.toNanos()) {
        throw RunlaneException.of(
            ErrorCode.OPERATION_CANCELLED, "run %s did not end within %s", runId, longest);
      }
    }

    private void showNew() {
      Page<RunEventRecord> page;
      do {
        page = asked(() -> console.await(operations.listEvents(runId, PAGE, cursor)));
        page.data().stream().filter(row -> row.sequence() > shown).forEach(this::show);
        if (page.nextCursor() != null) {
          cursor = page.nextCursor();
        }
      } while (page.nextCursor() != null);
    }

    private <T> T asked(Supplier<T> question) {
      long asked = System.nanoTime();
      while (true) {
        try {
          return question.get();
        } catch (RunlaneException failure) {
          if (!isAway(failure) || System.nanoTime() - asked > LONGEST_AWAY.toNanos()) {
            throw failure;
          }
        }
        requirePatience();
        console.pause(LONGEST_PAUSE_MILLIS);
      }
    }

    private static boolean isAway(RunlaneException failure) {
      return failure.code() == ErrorCode.STORAGE_UNAVAILABLE
          || failure.code() == ErrorCode.TRANSPORT_UNAVAILABLE;
    }

    private void show(RunEventRecord row) {
      shown = row.sequence();
      if (!heartbeats && RunsEventsCommand.isHeartbeat(row)) {
        return;
      }
      if (json) {
        console.out().println(JsonAnswers.event(row));
        return;
      }
      Cell event = RunText.event(row.event());
      String details = PlainText.oneLine(RunText.details(row));
      console
          .out()
          .println(PlainText.instant(row.event().header().occurredAt()) + "  "
              + console.terminal().styled(event.style(), event.text())
              + (details.isEmpty() ? "" : "  " + console.terminal().styled(Style.DIM, details)));
      console.out().flush();
    }

    private OperatorExit end(RunRecord run) {
      if (!json) {
        Cell status = RunText.status(run.status());
        console
            .out()
            .println("Run " + runId + " "
                + console.terminal().styled(status.style(), status.text())
                + (run.failure() == null || run.status().value().equals("succeeded")
                    ? ""
                    : ": " + PlainText.oneLine(RunText.failure(run.failure()))));
      }
      return switch (run.status()) {
        case SUCCEEDED -> OperatorExit.DONE;
        case CANCELLED -> OperatorExit.CANCELLED;
        default -> OperatorExit.FAILED;
      };
    }
  }
}
