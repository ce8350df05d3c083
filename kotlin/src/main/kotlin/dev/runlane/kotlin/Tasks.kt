package dev.runlane.kotlin

import dev.runlane.runtime.task.SignalReason
import dev.runlane.runtime.task.Task
import dev.runlane.runtime.task.TaskContext
import dev.runlane.runtime.task.TaskDescription
import dev.runlane.runtime.task.TaskHandler
import dev.runlane.runtime.task.TaskResult
import java.util.concurrent.CancellationException
import kotlin.reflect.typeOf
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.slf4j.MDCContext

/**
 * Begins a task; [describe] sets queue, retry, keys and what else it has, as [Task.define] does.
 * Throws `ConfigurationInvalid` for a payload that cannot be read back as what it was, such as a
 * list of orders.
 */
public inline fun <reified P : Any> task(
  id: String,
  describe: Task.Definition<P>.() -> Unit = {},
): TaskDescription<P> =
  Task.define(id, readable("the payload of task $id", typeOf<P>(), P::class.javaObjectType))
    .apply(describe)
    .description()

/**
 * The task, with a handler that suspends. The handler is called in a coroutine on the attempt's own
 * context, an event loop that it must not block, and goes on there after each suspension, whatever
 * thread resumes it; its lines of log name run, task and attempt on every thread. What it throws is
 * a failure of the attempt.
 *
 * The attempt ends when the handler has returned and every coroutine that it launched in a scope of
 * its own is done. When the attempt is asked to give up ([TaskContext.signal]), the coroutine is
 * cancelled with [AttemptSignalled]; a handler that lets that pass is recorded as the reason
 * demands: the run is cancelled, tried again, or goes on in another process. What has to be done
 * all the same is done in `withContext(NonCancellable)`.
 *
 * Where the attempt is given up to wait for steps or sleeps, or released because it asks for other
 * steps than are recorded, neither the coroutine nor what it launched is resumed any more, and no
 * `finally` of them runs: the handler is called again, from the top. What it launched on another
 * dispatcher is dropped when it comes back.
 */
public fun <P : Any> TaskDescription<P>.handledBy(
  handler: suspend TaskContext.(P) -> TaskResult
): Task<P> =
  this.handler(
    TaskHandler { payload, context ->
      val dispatcher = DroppingDispatcher(callersDispatcher())
      val attempt =
        CoroutineScope(dispatcher + MDCContext()).begin {
          coroutineScope { context.handler(payload) }
        }
      context.suspended().onSuccess { dispatcher.drop() }
      context.unwanted().onSuccess {
        if (!context.isSignalled) {
          dispatcher.drop() // nobody has told the coroutine, and nobody hears of it any more
        }
      }
      context.signal().onSuccess { reason -> attempt.job.cancel(AttemptSignalled(reason)) }
      attempt.future
    }
  )

/** The same for a task without a result but its end. */
public fun <P : Any> TaskDescription<P>.doneBy(handler: suspend TaskContext.(P) -> Unit): Task<P> =
  handledBy { payload ->
    handler(payload)
    TaskResult.done()
  }

/** Cancels the coroutine of a handler whose attempt is asked to give up. */
public class AttemptSignalled
internal constructor(
  /** Why; the first, where there are several. */
  public val reason: SignalReason
) : CancellationException("the attempt is asked to give up: $reason") {
  private companion object {
    private const val serialVersionUID = 1L
  }
}
