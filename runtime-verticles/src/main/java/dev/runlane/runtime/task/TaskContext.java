package dev.runlane.runtime.task;

import dev.runlane.operator.log.LogLevel;
import dev.runlane.run.Environment;
import dev.runlane.run.Json;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a handler knows of its attempt and may request. Safe for use by any thread. Once the attempt is over, which the
 * handler's own end is too, a step or sleep that is asked for here never completes: whatever it is for is the next
 * attempt's, or nobody's.
 */
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

  /**
   * Completes, on this attempt's own context, when the attempt was given up to wait for steps or sleeps: its handler is
   * called again from the top once they are due, and what this call of it still does beside the wait should end. Never
   * fails; stays open when the attempt ends in any other way.
   */
  default Future<Void> suspended() {
    return Promise.<Void>promise().future();
  }

  /**
   * Completes, on this attempt's own context, when what this call of the handler still does is wanted no more, whatever
   * signal came before: the run was asked to cancel, its lease was lost, or the attempt is over and did not wait for
   * the handler, be it {@link #suspended()}, out of time and grace, given up by a worker that stops, or released for
   * other steps than are recorded. What is cancelled then does not go on beside the next attempt. Never fails; stays
   * open when the attempt ends with its handler.
   */
  default Future<Void> unwanted() {
    return Promise.<Void>promise().future();
  }

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

  /**
   * Does {@code work} at least once and records its result, one JSON value; an attempt that comes later, after a
   * crash, a retry or a wait, answers it from history without doing the work again. So a handler with steps is
   * called again from the top and must ask for the same steps in the same order: the position and the name are
   * a step's identity. Another name at a recorded position releases the run with reason {@code
   * non_deterministic} until a deployment asks as recorded; the result's order is that of the history, one in a
   * turn of the handler's context.
   *
   * <p>The answer is what the recorded JSON reads back as, the first time too. Fails with the recorded failure
   * once the step's own retries are used up: a handler may deal with it and continue, or fail with it, and then the
   * step is done anew in the run's next attempt. Fails with {@code ValidationFailed} beyond 1 000 steps and
   * sleeps of a run and when the result cannot be recorded, and with {@code CapabilityUnsupported} where the
   * storage cannot read histories. A step that gives up because of the {@link #signal()} is not recorded.
   *
   * @param work called on this attempt's context; must not block
   */
  <T> Future<T> step(Step<T> step, Supplier<Future<T>> work);

  /** A step that is tried once. A malformed name fails the future. */
  <T> Future<T> step(String name, Class<T> resultType, Supplier<Future<T>> work);

  /** A step that is tried once and has no result but its end. */
  Future<Void> step(String name, Supplier<Future<Void>> work);

  /**
   * Asks a worker of another process, in whatever language, for a step and answers its result, as {@link
   * #step(Step, Supplier)} answers that of a step done here: durable, replayed, in the order of history. The
   * request is stored before it is dispatched. A worker does it at least once, so its handler must be idempotent
   * by the step's id. Failures that may be retried are, as the step's policy says, without the handler being
   * called; a failure that may not, the last one, and the deadline fail the future with {@code TaskFailed}.
   *
   * <p>When nothing but remote steps and sleeps is left to wait for, the attempt ends and the run is released until
   * one of them is over: it holds no thread, no connection and no lease meanwhile. Fails with {@code
   * CapabilityUnsupported} where the runtime was built without a step transport or the storage keeps no pending
   * steps, and with {@code ValidationFailed} when the input cannot be written as JSON.
   */
  <T> Future<T> remote(RemoteStep<T> step, @Nullable Object input);

  /** A remote step that is tried once within 24 h, in the group its name stands for. */
  <T> Future<T> remote(String name, @Nullable Object input, Class<T> resultType);

  /** The same, answering JSON as it is; null where the worker returned no value. */
  Future<Json> remote(String name, @Nullable Object input);

  /**
   * Completes after {@code duration}, counted from the first time it was asked for, whatever crashes meanwhile.
   * When nothing but sleeps is left to wait for, the attempt ends and the run is released until the first of
   * them is over: a run that sleeps holds no thread, no connection and no lease, and what else the handler was
   * doing is dropped. Like a step it has a position. Fails with {@code ValidationFailed} when negative or beyond
   * 36 500 days.
   */
  Future<Void> sleep(Duration duration);

  /** Writes a line of the run's log; see {@link #log(LogLevel, String, Map)}. */
  void log(LogLevel level, String text);

  /**
   * Writes a line of the run's log, which operators read beside its history and which is pruned with it. Never fails
   * and waits for nothing: lines are written within about a second, gathered; those of the last moments are lost with a
   * process that is killed, and all where the storage keeps nothing for operators. An attempt that is made again writes
   * again. An attempt may write 1 000 lines of 262 144 characters in all; what comes after is dropped, and a last line
   * says so. A text is cut to 8 192 characters, and of fields 32 are kept, names and values cut to 1 024. From any
   * thread.
   */
  void log(LogLevel level, String text, Map<String, String> fields);

  /** Creates a run of another task, or of this one; see {@link #trigger(TaskDescription, Object, TriggerOptions)}. */
  <P> Future<TriggerResult> trigger(TaskDescription<P> task, P payload);

  /**
   * Creates a run as {@link dev.runlane.runtime.Runlane#trigger(TaskDescription, Object, TriggerOptions)} does, in
   * the trace of this run unless the options name one. The new run does not depend on how this attempt ends, and an
   * attempt that is made again triggers again: give it an idempotency key where that must not make a second run.
   */
  <P> Future<TriggerResult> trigger(TaskDescription<P> task, P payload, TriggerOptions options);
}
