package dev.runlane.conformance.model;

import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.run.Environment;
import dev.runlane.run.Identifiers;
import dev.runlane.storage.OperatorChecks;
import dev.runlane.storage.read.Page;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the model answers about the tasks that processes say they have. */
public final class ModelTasks {
  private final ModelPages pages;
  private final List<Said> tasks = new ArrayList<>();

  public ModelTasks(Names names) {
    this.pages = new ModelPages(names);
  }

  public @Nullable Void publish(PublishTasks command) {
    OperatorChecks.check(command);
    Instant kept = command.now().minus(OperatorStore.TASKS_KEPT);
    tasks.removeIf(each -> each.environment.equals(command.environment())
        && each.known.publishedAt().isBefore(kept));
    for (RuntimeTask task : command.tasks()) {
      Optional<Said> before = tasks.stream()
          .filter(each -> each.environment.equals(command.environment())
              && each.known.task().taskId().equals(task.taskId()))
          .findFirst();
      if (before.isEmpty() || !stays(before.get().known, command, task)) {
        before.ifPresent(tasks::remove);
        tasks.add(new Said(
            command.environment(),
            new KnownTask(task, command.processId(), command.startedAt(), command.now())));
      }
    }
    return null;
  }

  /** Another process's word, by one that has the handler, or of two that are alike in this by the later one. */
  private static boolean stays(KnownTask before, PublishTasks command, RuntimeTask task) {
    boolean isStale = before.publishedAt().isBefore(command.now().minus(KnownTask.STALE_AFTER));
    boolean goesFirst = before.task().hasHandler() == task.hasHandler()
        ? before.startedAt().isAfter(command.startedAt())
        : before.task().hasHandler();
    return !before.processId().equals(command.processId()) && !isStale && goesFirst;
  }

  public Page<KnownTask> list(ListTasks query) {
    OperatorChecks.check(query);
    return pages.page(
        Arrays.asList(query.environment(), query.taskId()),
        known(query.environment())
            .filter(each ->
                query.taskId() == null || query.taskId().equals(each.task().taskId())),
        Comparator.comparing(each -> each.task().taskId(), Identifiers.ORDER),
        query.limit(),
        query.cursor());
  }

  private Stream<KnownTask> known(Environment environment) {
    return tasks.stream()
        .filter(each -> each.environment.equals(environment))
        .map(each -> each.known);
  }

  /** From when on a task is anybody's, or forgotten. */
  public Stream<Instant> ends(Environment environment) {
    return known(environment)
        .map(each -> each.publishedAt().plusNanos(1_000))
        .flatMap(
            at -> Stream.of(at.plus(KnownTask.STALE_AFTER), at.plus(OperatorStore.TASKS_KEPT)));
  }

  private record Said(Environment environment, KnownTask known) {}
}
