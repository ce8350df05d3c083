package dev.runlane.storage.memory.operator;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.run.Identifiers;
import dev.runlane.storage.Cursors;
import dev.runlane.storage.memory.kept.Pages;
import dev.runlane.storage.read.Page;
import java.time.Instant;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The tasks of one environment, as processes say. */
public final class KnownTasks {
  private final NavigableMap<String, KnownTask> tasks = new TreeMap<>(Identifiers.ORDER);

  public void publish(PublishTasks command) {
    Instant kept = command.now().minus(OperatorStore.TASKS_KEPT);
    tasks.values().removeIf(each -> each.publishedAt().isBefore(kept));
    for (RuntimeTask said : command.tasks()) {
      KnownTask before = tasks.get(said.taskId());
      if (before == null || replaces(command, said, before)) {
        tasks.put(
            said.taskId(),
            new KnownTask(said, command.processId(), command.startedAt(), command.now()));
      }
    }
  }

  private static boolean replaces(PublishTasks command, RuntimeTask said, KnownTask before) {
    if (before.processId().equals(command.processId())
        || before.publishedAt().isBefore(command.now().minus(KnownTask.STALE_AFTER))) {
      return true;
    }
    return said.hasHandler() == before.task().hasHandler()
        ? !command.startedAt().isBefore(before.startedAt())
        : said.hasHandler();
  }

  public Page<KnownTask> list(ListTasks query) {
    Cursors cursors = Cursors.of(query);
    NavigableMap<String, KnownTask> behind = cursors
        .decode(query.cursor(), 1)
        .map(after -> tasks.tailMap(after.get(0), false))
        .orElse(tasks);
    return Pages.of(
        behind.values().stream()
            .filter(each -> query.taskId() == null || each.task().taskId().equals(query.taskId())),
        query.limit(),
        last -> cursors.encode(last.task().taskId()));
  }
}
