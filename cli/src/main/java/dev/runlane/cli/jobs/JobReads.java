package dev.runlane.cli.jobs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.option.NoBlankNames;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.client.ApiJob;
import dev.runlane.client.JobsClient;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.QueueInfo;
import dev.runlane.jobs.store.SearchJobsFilter;
import dev.runlane.json.record.JobJson;
import dev.runlane.run.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that show jobs. */
final class JobReads {
  private JobReads() {}

  /** {@code runlane jobs queues}. */
  @Command(
      name = "queues",
      header = "Lists the queues that have jobs, with how many in each state.")
  static final class Queues extends JobCommand {
    Queues(OperatorConsole console) {
      super(console);
    }

    @Override
    Work work() {
      return jobs -> {
        List<QueueInfo> queues = console().await(jobs.queues());
        if (isJson()) {
          ObjectNode answer = JsonAnswers.object();
          ArrayNode data = answer.putArray("data");
          queues.forEach(each -> data.add(json(each)));
          console().out().println(answer);
        } else if (queues.isEmpty()) {
          console().err().println("No queue has jobs.");
        } else {
          table(queues).print(console().out(), console().terminal());
        }
        return OperatorExit.DONE;
      };
    }

    private Table table(List<QueueInfo> queues) {
      List<Column> columns = new ArrayList<>(List.of(Column.shrinking("QUEUE")));
      for (JobState state : JobState.values()) {
        Column counts = Column.number(state.value().toUpperCase(Locale.ROOT));
        columns.add(state == JobState.WAITING_CHILDREN ? counts.spare(1) : counts);
      }
      columns.add(Column.number("ACTIVITY").spare(2));
      columns.add(Column.whole("NOTE"));
      Table table = new Table(columns.toArray(Column[]::new));
      Instant now = console().clock().now();
      queues.forEach(queue -> {
        List<Cell> cells = new ArrayList<>(List.of(Cell.of(queue.name())));
        for (JobState state : JobState.values()) {
          cells.add(Cell.of(queue.counts().getOrDefault(state, 0L)));
        }
        Instant latest = queue.latestActivity();
        cells.add(Cell.of(latest == null ? "" : PlainText.age(latest, now)));
        cells.add(new Cell(note(queue), Style.WARNING));
        table.add(cells.toArray(Cell[]::new));
      });
      return table;
    }

    private static String note(QueueInfo queue) {
      if (queue.paused()) {
        return "paused";
      }
      return queue.pausedNames().isEmpty()
          ? ""
          : "paused: " + String.join(", ", queue.pausedNames());
    }

    private static ObjectNode json(QueueInfo queue) {
      ObjectNode answer =
          JsonAnswers.object().put("queue", queue.name()).put("paused", queue.paused());
      queue.pausedNames().forEach(answer.putArray("pausedNames")::add);
      ObjectNode counts = answer.putObject("counts");
      for (JobState state : JobState.values()) {
        counts.put(state.value(), queue.counts().getOrDefault(state, 0L));
      }
      return answer.put("scheduled", queue.scheduledCount());
    }
  }

  /** {@code runlane jobs list}. */
  @Command(
      name = "list",
      header = "Lists jobs of a queue, the newest first.",
      description = "Of each state it looks at the latest 10 000.",
      footer = {"Example:", "  runlane jobs list mails --state failed"})
  static final class ListJobs extends JobCommand {
    @Parameters(paramLabel = "QUEUE", description = "The queue.")
    private String queue = "";

    @Option(
        names = {"-s", "--state"},
        split = ",",
        preprocessor = NoBlankNames.class,
        paramLabel = "STATE",
        description = "waiting, waiting-children, delayed, active, completed, failed.")
    private List<String> states = List.of();

    @Mixin
    private JobFilterOptions which = new JobFilterOptions();

    @Option(
        names = {"-n", "--limit"},
        paramLabel = "N",
        description = "How many at most. Default: ${DEFAULT-VALUE}.")
    private int limit = 50;

    @Option(names = "--skip", paramLabel = "N", description = "How many to pass over first.")
    private int skip;

    ListJobs(OperatorConsole console) {
      super(console);
    }

    @Override
    Work work() {
      if (limit < 1 || limit > 1_000 || skip < 0) {
        throw new UsageException("--limit must be 1 to 1000, and --skip not below 0");
      }
      Instant now = console().clock().now();
      SearchJobsFilter filter = new SearchJobsFilter(
          queue,
          states.stream()
              .map(each -> JobState.ofValue(each)
                  .orElseThrow(() -> new UsageException("--state: there is no state " + each)))
              .toList(),
          which.name,
          which.createdAfter(now),
          which.createdBefore(now));
      return jobs -> {
        JobsClient.Found page = console().await(jobs.search(filter, skip, limit));
        if (isJson()) {
          ObjectNode answer = JsonAnswers.object().put("total", page.total());
          ArrayNode data = answer.putArray("data");
          page.jobs().forEach(job -> data.add(JsonAnswers.tree(job.json()).without(JobJson.LARGE)));
          console().out().println(answer);
        } else if (page.jobs().isEmpty()) {
          console().err().println("No job fits.");
        } else {
          print(page);
        }
        return OperatorExit.DONE;
      };
    }

    private void print(JobsClient.Found page) {
      Instant now = console().clock().now();
      Table table = new Table(
          Column.whole("JOB"),
          Column.shrinking("NAME"),
          Column.whole("STATE"),
          Column.number("TRIES").spare(1),
          Column.number("AGE").spare(3),
          Column.shrinking("NOTE").spare(2));
      page.jobs()
          .forEach(job -> table.add(
              Cell.of(job.id()),
              Cell.of(job.name()),
              new Cell(job.state().value(), style(job.state())),
              Cell.of(job.startedAttempts()),
              Cell.of(PlainText.age(job.createdAt(), now)),
              Cell.of(note(job, now))));
      table.print(console().out(), console().terminal());
      int shown = skip + page.jobs().size();
      if (shown < page.total()) {
        console().out().println("More: --skip " + shown + " of " + page.total());
      }
    }

    private static String note(ApiJob job, Instant now) {
      Instant due = job.delayUntil();
      return job.state() == JobState.DELAYED && due != null
          ? "due " + PlainText.age(due, now)
          : Objects.requireNonNullElse(job.failedReason(), "");
    }
  }

  /** {@code runlane jobs get}. */
  @Command(name = "get", header = "Shows a job with payload and result.")
  static final class Get extends JobCommand {
    @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.")
    private String queue = "";

    @Parameters(index = "1", paramLabel = "JOB", description = "The id of the job.")
    private String jobId = "";

    Get(OperatorConsole console) {
      super(console);
    }

    @Override
    Work work() {
      return jobs -> {
        ObjectNode job =
            JsonAnswers.tree(console().await(jobs.get(queue, jobId)).json());
        if (isJson()) {
          console().out().println(job);
        } else {
          console()
              .out()
              .println(PlainText.lines(JsonAnswers.indented(Json.ofChecked(job.toString()))));
        }
        return OperatorExit.DONE;
      };
    }
  }

  /** {@code runlane jobs logs}. */
  @Command(name = "logs", header = "Shows the lines that a job's handlers wrote, the last 1000.")
  static final class Logs extends JobCommand {
    @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.")
    private String queue = "";

    @Parameters(index = "1", paramLabel = "JOB", description = "The id of the job.")
    private String jobId = "";

    Logs(OperatorConsole console) {
      super(console);
    }

    @Override
    Work work() {
      return jobs -> {
        List<String> lines = console().await(jobs.lines(queue, jobId));
        if (isJson()) {
          ObjectNode answer = JsonAnswers.object();
          ArrayNode data = answer.putArray("data");
          lines.forEach(data::add);
          console().out().println(answer);
        } else {
          lines.forEach(line -> console().out().println(PlainText.oneLine(line)));
        }
        return OperatorExit.DONE;
      };
    }
  }

  private static Style style(JobState state) {
    return switch (state) {
      case COMPLETED -> Style.GOOD;
      case FAILED -> Style.BAD;
      case ACTIVE -> Style.BUSY;
      default -> Style.PLAIN;
    };
  }
}
