package dev.runlane.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.ActionOptions;
import dev.runlane.cli.command.CommandGroup;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.client.ApiJobSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code runlane jobs schedules}. */
@Command(
    name = "schedules",
    description = "Schedules of job queues, as the programs have said them.",
    subcommands = {JobSchedulesCommand.ListSchedules.class, JobSchedulesCommand.Remove.class})
public final class JobSchedulesCommand extends CommandGroup {
  JobSchedulesCommand() {}

  /** {@code runlane jobs schedules list}. */
  @Command(
      name = "list",
      header = "Lists the schedules of a job queue, with what their jobs get.",
      footer = {"Example:", "  runlane jobs schedules list mails"})
  static final class ListSchedules extends JobCommand {
    @Parameters(paramLabel = "QUEUE", description = "The queue.")
    private String queue = "";

    ListSchedules(OperatorConsole console) {
      super(console);
    }

    @Override
    Work work() {
      return jobs -> {
        List<ApiJobSchedule> schedules = console().await(jobs.schedules(queue));
        if (isJson()) {
          ObjectNode answer = JsonAnswers.object();
          ArrayNode data = answer.putArray("data");
          schedules.forEach(each -> data.add(JsonAnswers.tree(each.json())));
          console().out().println(answer);
        } else if (schedules.isEmpty()) {
          console().err().println("The queue has no schedule.");
        } else {
          print(schedules);
        }
        return OperatorExit.DONE;
      };
    }

    private void print(List<ApiJobSchedule> schedules) {
      Table table = new Table(
          Column.shrinking("KEY"),
          Column.shrinking("JOB"),
          Column.shrinking("REPEATS"),
          Column.whole("LAST").spare(3),
          Column.whole("NEXT"),
          Column.number("FIRED").spare(2),
          Column.shrinking("OPTIONS").spare(1));
      schedules.forEach(schedule -> {
        ObjectNode told = JsonAnswers.tree(schedule.json());
        table.add(
            Cell.of(schedule.key()),
            Cell.of(schedule.jobName()),
            Cell.of(repeats(told.path("repeat"))),
            Cell.of(schedule.lastFiredAt() == null ? "" : schedule.lastFiredAt()),
            Cell.of(schedule.nextAt() == null ? "" : schedule.nextAt()),
            Cell.of(schedule.fired()),
            Cell.of(options(told.path("opts"))));
      });
      table.print(console().out(), console().terminal());
    }

    private static String repeats(JsonNode repeat) {
      List<String> parts = new ArrayList<>();
      if (repeat.has("cron")) {
        parts.add("cron " + repeat.path("cron").asText()
            + (repeat.has("tz") ? " in " + repeat.path("tz").asText() : ""));
      }
      if (repeat.has("every")) {
        parts.add("every " + Duration.ofMillis(repeat.path("every").asLong()));
      }
      if (repeat.has("limit")) {
        long runs = repeat.path("limit").asLong() + 1; // it counts those behind the first
        parts.add(runs == 1 ? "once" : runs + " times at most");
      }
      return String.join(", ", parts);
    }

    private static String options(JsonNode options) {
      List<String> parts = new ArrayList<>();
      options
          .properties()
          .forEach(option -> parts.add(option.getKey() + " "
              + (option.getValue().isValueNode()
                  ? option.getValue().asText()
                  : option.getValue().toString())));
      return String.join(", ", parts);
    }
  }

  /** {@code runlane jobs schedules remove}. */
  @Command(
      name = "remove",
      header = "Ends a schedule of a job queue for ever; jobs that it has added stay.",
      description = "A program that says the schedule at its start makes it anew: mend that first.",
      footer = {
        "Example:",
        "  runlane jobs schedules remove mails nightly --reason 'no task of this release wants it'"
      })
  static final class Remove extends JobCommand {
    @Parameters(index = "0", paramLabel = "QUEUE", description = "The queue.")
    private String queue = "";

    @Parameters(index = "1", paramLabel = "KEY", description = "The name of the schedule.")
    private String key = "";

    @Mixin
    private ActionOptions action = new ActionOptions();

    Remove(OperatorConsole console) {
      super(console);
    }

    @Override
    ActionOptions action() {
      return action;
    }

    @Override
    Work work() {
      return jobs -> {
        console().finish(jobs.removeSchedule(queue, key));
        console()
            .out()
            .println(
                isJson()
                    ? JsonAnswers.object()
                        .put("queue", queue)
                        .put("key", key)
                        .put("done", "removed")
                        .toString()
                    : PlainText.oneLine("Schedule " + key + " of queue " + queue + " is removed"));
        return OperatorExit.DONE;
      };
    }
  }
}
