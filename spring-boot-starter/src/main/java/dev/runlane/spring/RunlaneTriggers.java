package dev.runlane.spring;

import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.storage.pg.jdbc.TriggeredRun;
import org.jspecify.annotations.Nullable;

/**
 * Triggers runs from code that blocks. Inside a transaction of Spring's, over the application's {@code DataSource}, the
 * run exists if and only if that commits, and workers, those of other processes too, are woken after it; outside, it is
 * stored when the call returns. In {@code TransactionSynchronization.afterCommit} it is stored once all
 * synchronizations of the commit were called. Fails with {@link dev.runlane.run.RunlaneException}.
 */
public interface RunlaneTriggers {
  /** A run of a task with this payload, which may be null where the task has none. */
  default <P> TriggeredRun trigger(TaskDescription<P> task, P payload) {
    return trigger(task, payload, new TriggerOptions());
  }

  /** The same with options. */
  <P> TriggeredRun trigger(TaskDescription<P> task, P payload, TriggerOptions options);

  /** A run of the task with this id. */
  default TriggeredRun trigger(String taskId, @Nullable Object payload) {
    return trigger(taskId, payload, new TriggerOptions());
  }

  /** The same with options. */
  TriggeredRun trigger(String taskId, @Nullable Object payload, TriggerOptions options);
}
