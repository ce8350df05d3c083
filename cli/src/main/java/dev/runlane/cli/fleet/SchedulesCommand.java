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
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.client.ApiSchedule;
import dev.runlane.operator.schedule.SchedulePause;
import dev.runlane.operator.schedule.ScheduleState;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.operate.ListedSchedule;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.storage.read.RunSummary;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code runlane schedules}. */
@Command(
    name = "schedules",
    description = "Schedules of tasks, as processes have registered them.",
    subcommands = {
      SchedulesCommand.ListSchedules.class,
      SchedulesCommand.Pause.class,
      SchedulesCommand.Resume.class,
      SchedulesCommand.Fire.class
    })
public final class SchedulesCommand extends CommandGroup {
  SchedulesCommand() {}

  /** {@code runlane schedules list}. */
  @Command(
      name = "list",
      header =
          "Lists schedules with their last and next fire, what became of that run, and who paused them.",
      description = {
        "NEXT is the next instant of the calendar, paused or not. A schedule that was not SEEN for minutes is one of"
            + " no living process."
      })
  static final class ListSchedules extends OperatorCommand {
    @Mixin
    private PageOptions pages = new PageOptions();

    ListSchedules(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Work work() {
      pages.check();
      return operations -> {
        Page<ApiSchedule> page = pages.read(console(), operations::schedules);
        if (isJson()) {
          console().out().println(JsonAnswers.page(page, ListSchedules::json));
        } else if (page.data().isEmpty()) {
          console().err().println("No process has registered a schedule yet.");
        } else {
          print(page);
        }
        return OperatorExit.DONE;
      };
    }

    private void print(Page<ApiSchedule> page) {
      Instant now = console().clock().now();
      Table table = new Table(
          Column.shrinking("TASK"),
          Column.shrinking("SCHEDULE"),
          Column.shrinking("FIRES").spare(4),
          Column.whole("LAST").spare(2),
          Column.whole("RUN").spare(3),
          Column.whole("NEXT"),
          Column.number("SEEN").spare(1),
          Column.shrinking("NOTE").spare(5));
      page.data().forEach(schedule -> {
        ListedSchedule listed = schedule.listed();
        ScheduleState state = listed.state();
        table.add(
            Cell.of(state.name().taskId()),
            Cell.of(state.name().scheduleId()),
            Cell.of(state.definition()),
            Cell.of(state.lastFire() == null ? "" : state.lastFire()),
            status(schedule.lastRun()),
            Cell.of(listed.nextFire() == null ? "" : listed.nextFire()),
            Cell.of(PlainText.age(state.lastSeen(), now)),
            new Cell(note(schedule, now), Style.WARNING));
      });
      table.print(console().out(), console().terminal());
      PageOptions.printMore(console(), page);
    }

    private static Cell status(ApiSchedule.@Nullable LastRun run) {
      return run == null
          ? Cell.of("")
          : new Cell(
              run.status().value(), run.status() == RunStatus.FAILED ? Style.BAD : Style.PLAIN);
    }

    private static String note(ApiSchedule schedule, Instant now) {
      List<String> notes = new ArrayList<>();
      ListedSchedule listed = schedule.listed();
      SchedulePause pause = listed.state().pause();
      if (pause != null) {
        notes.add("paused by " + FleetText.actor(pause.actor()) + " "
            + PlainText.age(pause.pausedAt(), now) + " ago"
            + (pause.reason() == null ? "" : ": " + pause.reason()));
      } else if (listed.missedFire() != null) {
        notes.add("made no run at " + listed.missedFire());
      }
      ApiSchedule.LastRun run = schedule.lastRun();
      if (run != null && run.status() == RunStatus.FAILED) {
        notes.add("run " + run.id() + " failed");
      }
      return String.join("; ", notes);
    }

    private static ObjectNode json(ApiSchedule schedule) {
      ListedSchedule listed = schedule.listed();
      ScheduleState state = listed.state();
      ObjectNode answer = JsonAnswers.object()
          .put("taskId", state.name().taskId())
          .put("scheduleId", state.name().scheduleId())
          .put("definition", state.definition())
          .put("zone", listed.zone() == null ? null : listed.zone().getId())
          .put("firstSeen", state.firstSeen().toString())
          .put("lastSeen", state.lastSeen().toString())
          .put("countsFrom", state.countsFrom().toString())
          .put("lastFire", FleetText.text(state.lastFire()))
          .put("nextFire", FleetText.text(listed.nextFire()))
          .put("missedFire", FleetText.text(listed.missedFire()))
          .put("resumedAt", FleetText.text(state.resumedAt()));
      ApiSchedule.LastRun run = schedule.lastRun();
      if (run == null) {
        answer.putNull("lastRun");
      } else {
        answer
            .putObject("lastRun")
            .put("id", run.id())
            .put("status", run.status().value());
      }
      SchedulePause pause = state.pause();
      if (pause == null) {
        answer.putNull("paused");
      } else {
        answer
            .putObject("paused")
            .put("by", FleetText.actor(pause.actor()))
            .put("at", pause.pausedAt().toString())
            .put("reason", pause.reason());
      }
      return answer;
    }
  }

  /** Something that is done to one schedule. */
  abstract static class OnSchedule extends OperatorCommand {
    @Parameters(index = "0", paramLabel = "TASK", description = "The id of the task.")
    private String taskId = "";

    @Parameters(index = "1", paramLabel = "SCHEDULE", description = "Its id in the task.")
    private String scheduleId = "";

    @Mixin
    private ActionOptions action = new ActionOptions();

    OnSchedule(OperatorConsole console) {
      super(console);
    }

    final String taskId() {
      return taskId;
    }

    final String scheduleId() {
      return scheduleId;
    }

    /** Does it. */
    abstract OperatorExit act(Operations operations, RunActionOptions options);

    @Override
    protected final Work work() {
      RunActionOptions options = action.options(console().variables());
      return operations -> act(operations, options);
    }

    /** Tells whether it changed anything. */
    final OperatorExit tell(boolean isChanged, String changed, String unchanged) {
      console()
          .out()
          .println(
              isJson()
                  ? JsonAnswers.object()
                      .put("taskId", taskId)
                      .put("scheduleId", scheduleId)
                      .put("changed", isChanged)
                      .toString()
                  : PlainText.oneLine("Schedule " + scheduleId + " of task " + taskId + " "
                      + (isChanged ? changed : unchanged)));
      return OperatorExit.DONE;
    }
  }

  /** {@code runlane schedules pause}. */
  @Command(
      name = "pause",
      header = "Pauses a schedule: it makes no runs until it is resumed.",
      description = {
        "A run that a process is making at this moment is still made, and processes of a release that knows no pauses go"
            + " on."
      },
      footer = {"Example:", "  runlane schedules pause report nightly --reason 'the disk is full'"})
  static final class Pause extends OnSchedule {
    Pause(OperatorConsole console) {
      super(console);
    }

    @Override
    OperatorExit act(Operations operations, RunActionOptions options) {
      return tell(
          console().finish(operations.pauseSchedule(taskId(), scheduleId(), options)),
          "is paused",
          "was paused already, and stays so");
    }
  }

  /** {@code runlane schedules resume}. */
  @Command(
      name = "resume",
      header = "Resumes a schedule with its next fire; it makes up for none of its pause.")
  static final class Resume extends OnSchedule {
    Resume(OperatorConsole console) {
      super(console);
    }

    @Override
    OperatorExit act(Operations operations, RunActionOptions options) {
      return tell(
          console().finish(operations.resumeSchedule(taskId(), scheduleId(), options)),
          "is resumed",
          "was not paused");
    }
  }

  /** {@code runlane schedules fire}. */
  @Command(
      name = "fire",
      header =
          "Makes a run of a schedule now, paused or not: the last that it made and that has ended, again.",
      description = {
        "The payload of a schedule stands in the application: over --url it is taken from there, where the process that"
            + " serves the API has the task. The schedule's next fire comes as it would."
      })
  static final class Fire extends OnSchedule {
    private static final String FIRE = "schedule.fire";
    private static final Set<RunStatus> ENDED =
        Set.of(RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED);
    private static final int LOOKED_AT = 100;

    Fire(OperatorConsole console) {
      super(console);
    }

    @Override
    OperatorExit act(Operations operations, RunActionOptions options) {
      Optional<TriggerResult> fired =
          made(FIRE, () -> operations.fireSchedule(taskId(), scheduleId(), options));
      if (fired.isPresent()) {
        print(fired.get(), null);
        return OperatorExit.DONE;
      }
      List<RunSummary> ended = console()
          .await(operations.listRuns(
              RunFilter.ALL.withTaskIds(List.of(taskId())).withStatuses(ENDED), LOOKED_AT, null))
          .data();
      Optional<String> last = ended.stream()
          .map(RunSummary::id)
          .filter(id -> isOfSchedule(operations, id))
          .findFirst();
      if (last.isEmpty()) {
        console()
            .err()
            .println(PlainText.oneLine("Of the last " + LOOKED_AT + " ended runs of task "
                + taskId() + " none is of schedule " + scheduleId()
                + ": fire it over --url of a process that has the task, or: runlane trigger "
                + taskId()));
        return OperatorExit.NOT_FOUND;
      }
      print(
          made(
              FIRE,
              () -> operations.recorded(
                  new Operations.Action(FIRE, taskId() + "/" + scheduleId()),
                  options,
                  () -> operations.rerun(last.get(), null, options),
                  made -> made.outcome().value() + " " + made.run().id())),
          last.get());
      return OperatorExit.DONE;
    }

    /** Null stands for the schedule itself, whose payload was taken. */
    private void print(TriggerResult result, @Nullable String repeated) {
      if (isJson()) {
        ObjectNode answer = JsonAnswers.object().put("outcome", result.outcome().value());
        answer.put("repeated", repeated).set("run", JsonAnswers.run(result.run()));
        console().out().println(answer);
        return;
      }
      boolean isNew = result.outcome() == TriggerOutcome.CREATED;
      String how = repeated == null
          ? isNew
              ? " is of schedule " + scheduleId()
              : " is still active, and keeps schedule " + scheduleId() + " from another"
          : (isNew ? " repeats " : " is still active, and keeps from repeating ") + repeated;
      console().out().println(PlainText.oneLine("Run " + result.run().id() + how));
    }

    private boolean isOfSchedule(Operations operations, String runId) {
      return console()
          .await(operations.getRun(runId))
          .filter(run -> scheduleId().equals(run.source().scheduleId()))
          .isPresent();
    }
  }
}
