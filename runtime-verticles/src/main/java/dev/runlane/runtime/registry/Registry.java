package dev.runlane.runtime.registry;

import dev.runlane.json.JsonCodec;
import dev.runlane.json.JsonLimits;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.Json;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The queues, tasks and schedules of a runtime, checked against one another. Immutable. */
public final class Registry {
  private static final int MOST = 10_000; // in one command to a storage

  private final Map<String, TaskQueue> queues = new LinkedHashMap<>();
  private final Map<String, RegisteredTask<?>> tasks = new LinkedHashMap<>();
  private final Map<ScheduleKey, RegisteredSchedule> schedules = new LinkedHashMap<>();
  private final @Nullable TaskQueue defaultQueue;
  private final List<String> handledTaskIds;

  /** Throws {@code ConfigurationInvalid} for anything that does not fit together. */
  public Registry(
      Collection<TaskQueue> queues,
      Collection<TaskDescription<?>> tasks,
      JsonCodec codec,
      JsonLimits payloadLimits) {
    requireMost("queues", queues.size());
    requireMost("tasks", tasks.size());
    queues.forEach(this::addQueue);
    defaultQueue = defaultQueue();
    tasks.forEach(task -> addTask(task, codec, payloadLimits));
    requireMost("schedules", schedules.size());
    handledTaskIds = this.tasks.values().stream()
        .filter(RegisteredTask::hasHandler)
        .map(RegisteredTask::id)
        .toList();
  }

  /** What a storage would refuse with each claim and each sign of life is refused before any. */
  private static void requireMost(String what, int many) {
    if (many > MOST) {
      throw RunlaneException.configurationInvalid(
          "a runtime has at most %d %s, but there are %d", MOST, what, many);
    }
  }

  /** Whether this is an operator's, which has neither queues nor tasks. */
  public boolean isOperatorOnly() {
    return queues.isEmpty();
  }

  public Optional<TaskQueue> queue(String name) {
    return Optional.ofNullable(queues.get(name));
  }

  public List<TaskQueue> queues() {
    return List.copyOf(queues.values());
  }

  public List<QueuePolicy> policies() {
    return queues.values().stream().map(TaskQueue::policy).toList();
  }

  /** The policies of these queues, of all when none is named. Throws {@code ConfigurationInvalid}. */
  public List<QueuePolicy> policiesOf(Collection<String> names) {
    for (String name : names) {
      if (!queues.containsKey(name)) {
        throw RunlaneException.configurationInvalid(
            "queue %s is not registered in this runtime", name);
      }
    }
    return policies().stream()
        .filter(policy -> names.isEmpty() || names.contains(policy.queue()))
        .toList();
  }

  public List<QueuePolicy> boundedPolicies() {
    return policies().stream().filter(QueuePolicy::isBounded).toList();
  }

  public List<String> unboundedNames() {
    return policies().stream()
        .filter(policy -> !policy.isBounded())
        .map(QueuePolicy::queue)
        .toList();
  }

  public Optional<RegisteredTask<?>> task(String id) {
    return Optional.ofNullable(tasks.get(id));
  }

  /** The task, or a throw of {@code TaskNotFound}. */
  public RegisteredTask<?> requireTask(String id) {
    return task(id)
        .orElseThrow(() -> RunlaneException.of(
            ErrorCode.TASK_NOT_FOUND, "task %s is not registered in this runtime", id));
  }

  /** The registration of this very description, or a throw of {@code TaskNotFound}. */
  public <P> RegisteredTask<P> require(TaskDescription<P> task) {
    RegisteredTask<?> registered = requireTask(task.id());
    if (registered.task().description() != task.description()) {
      throw RunlaneException.of(
          ErrorCode.TASK_NOT_FOUND,
          "task %s is registered with another definition than this one",
          task.id());
    }
    @SuppressWarnings("unchecked") // the same description has the same payload type
    RegisteredTask<P> same = (RegisteredTask<P>) registered;
    return same;
  }

  /** The registered queue equal to {@code queue}, or a throw of {@code ValidationFailed}. */
  public TaskQueue require(TaskQueue queue) {
    if (!queues.containsValue(queue)) {
      throw RunlaneException.validationFailed(
          "queue %s is not registered in this runtime with the policy given", queue.name());
    }
    return queue;
  }

  public List<RegisteredTask<?>> tasks() {
    return List.copyOf(tasks.values());
  }

  /** The tasks whose runs this process may claim. */
  public List<String> handledTaskIds() {
    return handledTaskIds;
  }

  public List<RegisteredSchedule> schedules() {
    return List.copyOf(schedules.values());
  }

  private void addQueue(TaskQueue queue) {
    if (queues.put(queue.name(), queue) != null) {
      throw RunlaneException.configurationInvalid("queue %s is registered twice", queue.name());
    }
  }

  private @Nullable TaskQueue defaultQueue() {
    List<TaskQueue> marked =
        queues.values().stream().filter(TaskQueue::isDefault).toList();
    if (marked.size() > 1) {
      throw RunlaneException.configurationInvalid(
          "at most one queue may be the default, but there are %s",
          marked.stream().map(TaskQueue::name).toList());
    }
    return marked.isEmpty() ? null : marked.get(0);
  }

  private <P> void addTask(TaskDescription<P> task, JsonCodec codec, JsonLimits limits) {
    TaskQueue queue = registered("task " + task.id(), task.queue().orElse(defaultQueue));
    RegisteredTask<P> added =
        new RegisteredTask<>(task, new PayloadCodec<>(task, codec, limits), queue);
    if (tasks.put(task.id(), added) != null) {
      throw RunlaneException.configurationInvalid("task %s is registered twice", task.id());
    }
    for (Schedule schedule : task.schedules()) {
      addSchedule(schedule, added);
    }
  }

  private void addSchedule(Schedule schedule, RegisteredTask<?> task) {
    TaskQueue queue =
        registered("schedule " + schedule.id(), schedule.queue().orElse(task.queue()));
    RegisteredSchedule added =
        new RegisteredSchedule(schedule, task, queue, scheduledPayload(schedule, task));
    if (schedules.put(added.key(), added) != null) {
      throw RunlaneException.configurationInvalid(
          "schedule %s of task %s is registered twice", schedule.id(), task.id());
    }
  }

  private static Json scheduledPayload(Schedule schedule, RegisteredTask<?> task) {
    try {
      Json payload = task.codec().encode(schedule.payload().orElse(null));
      task.codec().decode(payload);
      task.keysOf(payload);
      return payload;
    } catch (RunlaneException invalid) {
      throw RunlaneException.configurationInvalid(
              "schedule %s: %s", schedule.id(), String.valueOf(invalid.getMessage()))
          .causedBy(invalid);
    }
  }

  private TaskQueue registered(String who, @Nullable TaskQueue queue) {
    if (queue == null) {
      throw RunlaneException.configurationInvalid(
          "%s names no queue and the runtime has no default", who);
    }
    if (!queues.containsValue(queue)) {
      throw RunlaneException.configurationInvalid(
          "%s uses queue %s, which is not registered with the same policy", who, queue.name());
    }
    return queue;
  }
}
