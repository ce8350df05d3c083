package dev.runlane.runtime;

import dev.runlane.runtime.create.Triggers;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.runtime.task.TriggerResult;
import io.vertx.core.Future;
import java.util.List;

/**
 * Triggers whose runs exist if and only if the caller's own transaction commits. Nothing is published and
 * nobody is woken: call {@link Runlane#wake()} after the commit, else a sweep finds the runs.
 */
public final class TransactionTriggers {
  private final Triggers triggers;

  TransactionTriggers(Triggers triggers) {
    this.triggers = triggers;
  }

  /** As {@link Runlane#trigger(TaskDescription, Object)}, inside the transaction. */
  public <P> Future<TriggerResult> trigger(TaskDescription<P> task, P payload) {
    return trigger(task, payload, new TriggerOptions());
  }

  /** As {@link Runlane#trigger(TaskDescription, Object, TriggerOptions)}, inside the transaction; always deferred. */
  public <P> Future<TriggerResult> trigger(
      TaskDescription<P> task, P payload, TriggerOptions options) {
    return triggers.trigger(task, payload, options);
  }

  /** As {@link Runlane#triggerAll(TaskDescription, List, TriggerOptions)}, inside the transaction; always deferred. */
  public <P> Future<List<TriggerResult>> triggerAll(
      TaskDescription<P> task, List<P> payloads, TriggerOptions options) {
    return triggers.triggerAll(task, payloads, options);
  }
}
