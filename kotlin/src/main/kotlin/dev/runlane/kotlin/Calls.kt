package dev.runlane.kotlin

import dev.runlane.run.RunRecord
import dev.runlane.run.RunlaneException
import dev.runlane.runtime.Runlane
import dev.runlane.runtime.task.RunActionOptions
import dev.runlane.runtime.task.TaskContext
import dev.runlane.runtime.task.TaskDescription
import dev.runlane.runtime.task.TriggerOptions
import dev.runlane.runtime.task.TriggerOutcome
import dev.runlane.runtime.task.TriggerResult
import io.vertx.kotlin.coroutines.coAwait
import java.util.concurrent.CancellationException
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.withContext

/**
 * Creates a run and goes on when it is stored; see [Runlane.trigger]. Cancelling the caller does
 * not undo it.
 */
public suspend fun <P : Any> Runlane.triggerRun(
  task: TaskDescription<P>,
  payload: P,
  options: TriggerOptions.() -> Unit = {},
): TriggerResult = trigger(task, payload, TriggerOptions().apply(options)).coAwait()

/** Creates a run from within a handler; see [TaskContext.trigger]. */
public suspend fun <P : Any> TaskContext.triggerRun(
  task: TaskDescription<P>,
  payload: P,
  options: TriggerOptions.() -> Unit = {},
): TriggerResult = trigger(task, payload, TriggerOptions().apply(options)).coAwait()

/**
 * The run once it has ended; see [Runlane.awaitRun]. Fails when it has not within [timeout].
 * Cancelling the caller ends the waiting, and nothing else.
 */
public suspend fun Runlane.awaitEnd(runId: String, timeout: Duration): RunRecord =
  awaitRun(runId, timeout.toJavaDuration()).coAwait()

/**
 * Creates a run and waits for its end, as a part of the calling coroutine: where that is cancelled
 * (by its scope, or by `withTimeout` around this call), the run is asked to cancel before the
 * cancellation goes on. A run that owned one of the keys already is waited for, and never
 * cancelled. A process that dies asks for nothing: the run goes on. Fails when the run has not
 * ended within [timeout], and leaves it as it is.
 */
public suspend fun <P : Any> Runlane.callRun(
  task: TaskDescription<P>,
  payload: P,
  timeout: Duration,
  options: TriggerOptions.() -> Unit = {},
): RunRecord {
  val triggered = withContext(NonCancellable) { triggerRun(task, payload, options) }
  try {
    return awaitEnd(triggered.run().id(), timeout)
  } catch (cancelled: CancellationException) {
    if (triggered.outcome() == TriggerOutcome.CREATED) {
      withContext(NonCancellable) { cancelRun(triggered.run().id(), cancelled) }
    }
    throw cancelled
  }
}

private suspend fun Runlane.cancelRun(runId: String, cause: CancellationException) {
  try {
    runs().cancel(runId, RunActionOptions().setReason("the caller was cancelled")).coAwait()
  } catch (refused: RunlaneException) {
    cause.addSuppressed(refused) // it has ended meanwhile, or the storage is away: the run goes on
  }
}
