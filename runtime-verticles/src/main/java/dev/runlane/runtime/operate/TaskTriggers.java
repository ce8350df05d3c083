package dev.runlane.runtime.operate;

import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.operator.task.TaskKey;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.create.Triggers;
import dev.runlane.runtime.process.RuntimeContext;
import dev.runlane.runtime.registry.PublishedSchema;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Triggers tasks of other processes by what those said of them.
 *
 * @param context that of the runtime
 * @param triggers creates the runs
 * @param known what was said of a task
 */
record TaskTriggers(
    RuntimeContext context,
    Triggers triggers,
    Function<String, Future<Optional<KnownTask>>> known) {

  Future<TriggerResult> trigger(
      String taskId, String payload, TriggerOptions options, Set<MadeByCode> leftOut) {
    if (leftOut.isEmpty() && context.registry().task(taskId).isPresent()) {
      return triggers.triggerJson(taskId, payload, options);
    }
    return required(taskId).compose(task -> {
      requireGiven(task, options, leftOut);
      return create(task, payload, options);
    });
  }

  private Future<RuntimeTask> required(String taskId) {
    return known.apply(taskId).map(found -> found
        .map(KnownTask::task)
        .orElseThrow(() -> RunlaneException.of(
            ErrorCode.TASK_NOT_FOUND, "no process says that it has task %s", taskId)));
  }

  private static void requireGiven(
      RuntimeTask task, TriggerOptions options, Set<MadeByCode> leftOut) {
    List<String> keys = leftOut.contains(MadeByCode.KEYS)
        ? List.of()
        : task.keys().stream()
            .filter(key -> isMissing(key, options))
            .map(TaskKey::value)
            .toList();
    List<String> tags = leftOut.contains(MadeByCode.TAGS)
        ? List.of()
        : task.rules().tags().stream()
            .filter(name -> !options.getTags().containsKey(name))
            .map(name -> "tag " + name)
            .toList();
    if (!keys.isEmpty() || !tags.isEmpty()) {
      throw RunlaneException.validationFailed(
          "task %s makes %s of its payload, which its own processes alone can: give %s",
          task.taskId(),
          tags.isEmpty() ? "keys" : keys.isEmpty() ? "tags" : "keys and tags",
          Stream.concat(keys.stream(), tags.stream()).collect(Collectors.joining(", ")));
    }
  }

  private static boolean isMissing(TaskKey key, TriggerOptions options) {
    return switch (key) {
      case IDEMPOTENCY -> options.getIdempotencyKey().isEmpty();
      case SINGLETON -> options.getSingletonKey().isEmpty();
      case CONCURRENCY -> options.getConcurrencyKey().isEmpty();
    };
  }

  private Future<TriggerResult> create(RuntimeTask task, String payload, TriggerOptions options) {
    PublishedSchema.require(task, payload, context.options().payloadLimits());
    if (options.getQueue().isEmpty()) {
      options.setQueue(TaskQueue.of(task.queue()));
    }
    return triggers.triggerElsewhere(task.taskId(), task.rules(), payload, options);
  }
}
