package dev.runlane.cli.operator;

import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.operate.RunAttempt;
import java.io.PrintStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code runlane runs get}. */
@Command(name = "get", header = "Shows a run: its state, attempts, payload and output.")
final class RunsGetCommand extends OperatorCommand {
  private static final int LABEL = 14;

  @Parameters(paramLabel = "RUN", description = "The id of the run.")
  private String runId = "";

  RunsGetCommand(OperatorConsole console) {
    super(console);
  }

  @Override
  protected Work work() {
    return operations -> {
      RunRecord run = require(console(), operations, runId);
      Map<String, String> tags =
          console().await(operations.tags(List.of(runId))).getOrDefault(runId, Map.of());
      if (isJson()) {
        console().out().println(JsonAnswers.tagged(JsonAnswers.run(run), tags));
      } else {
        print(run, tags, console().await(operations.attempts(runId)));
      }
      return OperatorExit.DONE;
    };
  }

  static RunRecord require(OperatorConsole console, Operations operations, String runId) {
    return console
        .await(operations.getRun(runId))
        .orElseThrow(
            () -> RunlaneException.of(ErrorCode.RUN_NOT_FOUND, "run %s does not exist", runId));
  }

  private void print(RunRecord run, Map<String, String> tags, List<RunAttempt> attempts) {
    Instant now = console().clock().now();
    line("run", run.id());
    line("task", run.taskId());
    line("queue", run.queue());
    line(
        "status",
        console()
            .terminal()
            .styled(RunText.status(run.status()).style(), run.status().value()));
    line(
        "attempts",
        run.counters().attempts() + " (" + run.counters().failures() + " failed, "
            + run.counters().retries() + " retried, " + run.counters().releases() + " released)");
    line("source", source(run.source()));
    line("idempotency", run.keys().idempotencyKey());
    line("singleton", run.keys().singletonKey());
    line("concurrency", run.keys().concurrencyKey());
    new TreeMap<>(tags).forEach((name, value) -> line("tag", name + ":" + value));
    time("created", run.createdAt(), now);
    time("due", run.status().isActive() ? run.runAt() : null, now);
    time("started", run.startedAt(), now);
    time("finished", run.finishedAt(), now);
    if (run.lease() != null) {
      line("worker", run.lease().workerId());
      time("lease until", run.lease().expiresAt(), now);
    }
    if (run.failure() != null) {
      line("failure", RunText.failure(run.failure()));
    }
    json("payload", run.payload());
    json("output", run.output());
    json("meta", run.meta());
    if (!attempts.isEmpty()) {
      console().out().println();
      RunText.attempts(attempts).print(console().out(), console().terminal());
    }
  }

  private void line(String label, @Nullable String value) {
    if (value != null) {
      PrintStream out = console().out();
      out.print(console().terminal().styled(Style.DIM, label + " ".repeat(LABEL - label.length())));
      out.println(label.equals("status") ? value : PlainText.oneLine(value));
    }
  }

  private void time(String label, @Nullable Instant at, Instant now) {
    if (at != null) {
      String age = PlainText.age(at, now);
      line(label, PlainText.instant(at) + " (" + (at.isAfter(now) ? age : age + " ago") + ")");
    }
  }

  private void json(String label, @Nullable Json value) {
    if (value != null) {
      console().out().println(console().terminal().styled(Style.DIM, label));
      PlainText.lines(JsonAnswers.indented(value))
          .lines()
          .forEach(text -> console().out().println("  " + text));
    }
  }

  private static String source(RunSource source) {
    return switch (source.type()) {
      case TRIGGER -> "trigger";
      case SCHEDULE -> "schedule " + source.scheduleId() + ", fire of " + source.fireAt();
      case RERUN -> "rerun of " + source.sourceRunId();
      case MANUAL_RETRY -> "retry of " + source.sourceRunId();
    };
  }
}
