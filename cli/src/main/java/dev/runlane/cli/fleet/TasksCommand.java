package dev.runlane.cli.fleet;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.cli.command.CommandGroup;
import dev.runlane.cli.command.JsonAnswers;
import dev.runlane.cli.command.OperatorCommand;
import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.operate.Operations;
import dev.runlane.cli.terminal.Style;
import dev.runlane.cli.terminal.Table;
import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import dev.runlane.client.ApiProcess;
import dev.runlane.client.ApiTask;
import dev.runlane.operator.process.RuntimeProcess;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.storage.read.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** {@code runlane tasks}. */
@Command(
    name = "tasks",
    description = "Tasks, as processes say they have them.",
    subcommands = TasksCommand.ListTasks.class)
public final class TasksCommand extends CommandGroup {
  TasksCommand() {}

  /** {@code runlane tasks list}. */
  @Command(
      name = "list",
      header =
          "Lists tasks with their queue, the processes that work on them, and what a trigger needs.",
      description = {
        "PROCESSES counts living ones that work on it. KEYS and TAGS are those that its code makes of a payload: a"
            + " trigger from outside gives them. Of tasks that only ran in releases before, nothing is known."
      })
  static final class ListTasks extends OperatorCommand {
    private static final int PAGE = 200;
    private static final int MOST_PROCESSES = 2_000;

    ListTasks(OperatorConsole console) {
      super(console);
    }

    @Override
    protected Work work() {
      return operations -> {
        List<ApiTask> tasks = console().await(operations.tasks());
        List<RuntimeProcess> living = living(operations);
        if (isJson()) {
          ObjectNode answer = JsonAnswers.object();
          ArrayNode data = answer.putArray("data");
          tasks.forEach(task -> data.add(json(task, workersOf(task, living))));
          console().out().println(answer);
        } else if (tasks.isEmpty()) {
          console().err().println("No process has said yet which tasks it has.");
        } else {
          print(tasks, living);
        }
        return OperatorExit.DONE;
      };
    }

    private List<RuntimeProcess> living(Operations operations) {
      List<RuntimeProcess> living = new ArrayList<>();
      String cursor = null;
      int read = 0;
      do {
        Page<ApiProcess> page = console().await(operations.processes(PAGE, cursor));
        page.data().stream()
            .filter(each -> !each.isGone())
            .forEach(each -> living.add(each.known().process()));
        read += page.data().size();
        cursor = page.nextCursor();
      } while (cursor != null && read < MOST_PROCESSES);
      return living;
    }

    private static List<String> workersOf(ApiTask task, List<RuntimeProcess> living) {
      return living.stream()
          .filter(process -> process.taskIds().contains(task.task().taskId()))
          .map(RuntimeProcess::processId)
          .toList();
    }

    private void print(List<ApiTask> tasks, List<RuntimeProcess> living) {
      Table table = new Table(
          Column.shrinking("TASK"),
          Column.shrinking("QUEUE"),
          Column.number("PROCESSES").spare(5),
          Column.shrinking("PAYLOAD").spare(4),
          Column.whole("SCHEMA").spare(1),
          Column.whole("KEYS").spare(3),
          Column.shrinking("TAGS").spare(2),
          Column.shrinking("NOTE"));
      tasks.forEach(each -> {
        RuntimeTask task = each.task();
        int workers = workersOf(each, living).size();
        table.add(
            Cell.of(task.taskId()),
            Cell.of(task.queue()),
            Cell.of(workers),
            Cell.of(task.payloadType()),
            Cell.of(task.payloadSchema() == null ? "no" : "yes"),
            Cell.of(task.keys().stream().map(ListTasks::option).collect(Collectors.joining(" "))),
            Cell.of(String.join(" ", task.rules().tags())),
            new Cell(workers == 0 ? "no living process works on it" : "", Style.WARNING));
      });
      table.print(console().out(), console().terminal());
    }

    private static String option(TaskKey key) {
      return switch (key) {
        case IDEMPOTENCY -> "--key";
        case SINGLETON -> "--singleton-key";
        case CONCURRENCY -> "--concurrency-key";
      };
    }

    /** As the API tells it, and by whom it is worked on. */
    private static ObjectNode json(ApiTask known, List<String> workers) {
      RuntimeTask task = known.task();
      ObjectNode answer = JsonAnswers.object()
          .put("id", task.taskId())
          .put("isLocal", known.isLocal())
          .put("hasHandler", task.hasHandler())
          .put("payloadType", task.payloadType());
      if (task.payloadSchema() != null) {
        answer.set("payloadSchema", JsonAnswers.value(task.payloadSchema()));
      }
      if (!task.queue().isEmpty()) {
        answer.put("queue", task.queue());
      }
      ArrayNode keys = answer.putArray("keys");
      task.keys().forEach(key -> keys.add(key.value()));
      ArrayNode tags = answer.putArray("tags");
      task.rules().tags().forEach(tags::add);
      if (known.publishedBy() != null) {
        answer.put("publishedBy", known.publishedBy());
      }
      if (known.publishedAt() != null) {
        answer.put("publishedAt", known.publishedAt().toString());
      }
      ArrayNode processes = answer.putArray("processes");
      workers.forEach(processes::add);
      return answer;
    }
  }
}
