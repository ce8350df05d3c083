package dev.runlane.runtime;

import dev.runlane.run.Environment;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;

/** What a handler may know of its attempt and ask of it. Safe for use by any thread. */
public interface TaskContext {
  /** The scope of the run. */
  Environment environment();

  /** The run. */
  String runId();

  /** The task. */
  String taskId();

  /** The queue the run is in. */
  String queue();

  /** 1 for the first try; grows by one with each attempt, releases and lost ones included. */
  int attempt();

  /** Failed attempts before this one. */
  int failures();

  /** The trace the run belongs to; empty when there is none. */
  Map<String, String> traceCarrier();

  /**
   * Completes, on this attempt's own context, when the handler should give up: the run was asked to cancel,
   * its lease was lost, its time is over or the worker stops. Never fails; stays open when the attempt ends
   * by itself. Nothing is killed: a handler that does not look at it runs to its end.
   */
  Future<SignalReason> signal();

  /**
   * What {@code work} answers, or, if the signal comes first, a failure that means "gave up": an attempt
   * that ends with it is recorded as the signal demands. The work itself is not stopped.
   */
  <T> Future<T> untilSignalled(Future<T> work);

  /** Whether {@link #signal()} has completed. */
  boolean isSignalled();

  /** Whether the run was asked to cancel, as far as this process knows. */
  boolean isCancellationRequested();

  /**
   * A result that gives the run back and continues it after {@code delay}, in a new attempt. It is to be
   * returned; calling this alone does nothing. A negative delay fails the attempt, not retryable.
   */
  TaskResult release(Duration delay);

  /** The same with a reason, kept in the history. */
  TaskResult release(Duration delay, String reason);

  /** The same with a reason and details, kept in the history. */
  TaskResult release(Duration delay, String reason, Map<String, String> meta);

  /** Creates a run of another task, or of this one; see {@link #trigger(Task, Object, TriggerOptions)}. */
  <P> Future<TriggerResult> trigger(Task<P> task, P payload);

  /**
   * Creates a run as {@link Runlane#trigger(Task, Object, TriggerOptions)} does, in the trace of this run
   * unless the options name one. The new run does not depend on how this attempt ends, and an attempt that is
   * made again triggers again: give it an idempotency key where that must not make a second run.
   */
  <P> Future<TriggerResult> trigger(Task<P> task, P payload, TriggerOptions options);
}
