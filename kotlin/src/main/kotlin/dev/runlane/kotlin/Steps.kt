package dev.runlane.kotlin

import dev.runlane.runtime.task.RemoteStep
import dev.runlane.runtime.task.Step
import dev.runlane.runtime.task.TaskContext
import io.vertx.kotlin.coroutines.coAwait
import java.util.function.Supplier
import kotlin.reflect.typeOf
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.currentCoroutineContext

/**
 * A step that is tried once and whose work suspends; see [TaskContext.step]. Its result is
 * recorded, and answered from history later; work that ends with `Unit` has none.
 */
public suspend inline fun <reified T : Any> TaskContext.callStep(
  name: String,
  noinline work: suspend () -> T,
): T =
  if (T::class == Unit::class) {
    callStepWithoutResult(name) { work() }
    Unit as T
  } else {
    callStep(
      Step.of(name, readable("the result of step $name", typeOf<T>(), T::class.javaObjectType)),
      work,
    )
  }

/**
 * A step with a retry policy of its own, whose work suspends. The work is a coroutine below the one
 * that asks for it: it runs where that one runs, and is cancelled with it. What gives up so because
 * of the attempt's signal is not recorded.
 *
 * A timeout belongs inside of the work: `callStep(step) { withTimeout(1.minutes) { pay(order) } }`.
 * One around the call cuts the work off as well, and the step is recorded as failed, so that a
 * later attempt of the run is answered that failure and not the timeout: with `withTimeoutOrNull`
 * it goes another way than this one.
 */
public suspend fun <T : Any> TaskContext.callStep(step: Step<T>, work: suspend () -> T): T {
  val asking = CoroutineScope(currentCoroutineContext())
  return step(step, Supplier { asking.begin(work).future }).coAwait()
}

@PublishedApi
internal suspend fun TaskContext.callStepWithoutResult(name: String, work: suspend () -> Unit) {
  val asking = CoroutineScope(currentCoroutineContext())
  step(name, Supplier { asking.begin(work).future.mapEmpty<Void>() }).coAwait()
}

/**
 * A step that a worker of another program does; `Unit` takes no result from it. See
 * [TaskContext.remote].
 */
public suspend inline fun <reified T : Any> TaskContext.callRemote(name: String, input: Any?): T =
  if (T::class == Unit::class) {
    remote(name, input).coAwait()
    Unit as T
  } else {
    callRemote(
      RemoteStep.of(
        name,
        readable("the result of step $name", typeOf<T>(), T::class.javaObjectType),
      ),
      input,
    )
  }

/** A step of another program with its own group, retries and deadline. */
public suspend fun <T : Any> TaskContext.callRemote(step: RemoteStep<T>, input: Any?): T =
  remote(step, input).coAwait()

/**
 * Waits, durably, and holds nothing meanwhile; see [TaskContext.sleep]. Not `delay`, which ends
 * with the process.
 */
public suspend fun TaskContext.sleepFor(duration: Duration) {
  sleep(duration.toJavaDuration()).coAwait()
}
