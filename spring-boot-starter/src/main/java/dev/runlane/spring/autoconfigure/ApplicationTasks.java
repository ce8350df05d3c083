package dev.runlane.spring.autoconfigure;

import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.RunlaneBuilder;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.spring.RunlaneProperties;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The tasks and queues of an application: beans, annotated methods and properties. */
public final class ApplicationTasks implements SmartInitializingSingleton {
  private final List<TaskDescription<?>> tasks = new ArrayList<>();
  private final Map<String, TaskQueue> queues = new LinkedHashMap<>();
  private final TaskMethods methods;

  /** Collects them. Throws {@code ConfigurationInvalid} where two of them say different things of one queue. */
  public ApplicationTasks(
      ConfigurableListableBeanFactory beans,
      ObjectProvider<TaskDescription<?>> tasks,
      ObjectProvider<TaskQueue> queues,
      RunlaneProperties properties) {
    queues.orderedStream().forEach(this::addBean);
    properties.queues().forEach(this::limit);
    tasks.orderedStream().forEach(this::add);
    if (this.queues.values().stream().noneMatch(TaskQueue::isDefault)) {
      TaskQueue given = this.queues.getOrDefault("default", TaskQueue.of("default"));
      this.queues.put("default", given.asDefault());
    }
    methods = new TaskMethods(beans, this.queues);
    for (Task<?> method : methods.tasks()) {
      this.tasks.add(StepsOutsideTransactions.of(method));
      method.queue().ifPresent(this::add);
    }
  }

  /** Throws {@code ConfigurationInvalid} for a method that would have been a task, had its bean shown it. */
  @Override
  public void afterSingletonsInstantiated() {
    methods.requireAllFound();
  }

  private void limit(String name, Integer limit) {
    TaskQueue bean = queues.get(name);
    if (bean != null && !limit.equals(bean.policy().concurrencyLimit())) {
      throw RunlaneException.configurationInvalid(
          "runlane.queues.%s is %d, but a bean of type TaskQueue has that name and %s: let one of them go",
          name, limit, limitOf(bean));
    }
    add(TaskQueue.of(name).concurrencyLimit(limit));
  }

  private void addBean(TaskQueue queue) {
    TaskQueue other = queues.putIfAbsent(queue.name(), queue);
    if (other != null) {
      throw RunlaneException.configurationInvalid(
          "two beans of type TaskQueue are queue %s, one with %s and one with %s: let one of them go",
          queue.name(), limitOf(other), limitOf(queue));
    }
  }

  private static String limitOf(TaskQueue queue) {
    return queue.policy().isBounded()
        ? "the limit " + queue.policy().concurrencyLimit()
        : "no limit";
  }

  /** With its queue and those of its schedules, as a test without configuration has them. */
  private void add(TaskDescription<?> task) {
    tasks.add(task instanceof Task<?> handled ? StepsOutsideTransactions.of(handled) : task);
    task.queue().ifPresent(this::add);
    task.schedules().forEach(schedule -> schedule.queue().ifPresent(this::add));
  }

  private void add(TaskQueue queue) {
    queues.putIfAbsent(queue.name(), queue);
  }

  /** Registers them. */
  public void addTo(RunlaneBuilder builder) {
    builder.queues(queues.values()).tasks(tasks);
  }

  /** All of them. */
  public List<TaskDescription<?>> tasks() {
    return List.copyOf(tasks);
  }

  /** Their queues, one of which is the default. */
  public List<TaskQueue> queues() {
    return List.copyOf(queues.values());
  }

  /** The task with this id. Throws {@code ValidationFailed} where there is none. */
  public static TaskDescription<?> known(List<TaskDescription<?>> tasks, String taskId) {
    return tasks.stream()
        .filter(task -> task.id().equals(taskId))
        .findFirst()
        .orElseThrow(() ->
            RunlaneException.validationFailed("no task %s is known to this application", taskId));
  }

  /** The payload, of the task's type. Throws {@code ValidationFailed} for another. */
  public static <P> @Nullable P payloadOf(TaskDescription<P> task, @Nullable Object payload) {
    if (payload != null && !task.payloadType().isInstance(payload)) {
      throw RunlaneException.validationFailed(
          "the payload of task %s must be a %s, but is a %s",
          task.id(), task.payloadType().getName(), payload.getClass().getName());
    }
    return task.payloadType().cast(payload);
  }
}
