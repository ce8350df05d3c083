package dev.runlane.kotlin

import io.vertx.core.Future
import io.vertx.core.Promise
import io.vertx.core.Vertx
import io.vertx.kotlin.coroutines.dispatcher
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.launch

/** A coroutine that has begun, and what it comes to. */
internal class Begun<T>(val job: Job, val future: Future<T>)

/**
 * Begins work in a coroutine of this scope. What it fails with fails its future alone: nothing else
 * of the scope is cancelled. The future is completed where the coroutine ends.
 */
internal fun <T> CoroutineScope.begin(work: suspend () -> T): Begun<T> {
  val promise = Promise.promise<T>()
  val job = launch {
    @Suppress("TooGenericExceptionCaught") // whatever it is, it is what the future fails with
    try {
      promise.complete(work())
    } catch (failure: Throwable) {
      promise.fail(failure)
    }
  }
  job.invokeOnCompletion { cause ->
    if (cause != null) {
      promise.tryFail(cause) // cancelled before it began
    }
  }
  return Begun(job, promise.future())
}

/**
 * The Vert.x context of the caller, on which whoever is there already goes on at once. Where there
 * is no context, as in a runtime in virtual time, coroutines go on wherever they are resumed.
 */
internal fun callersDispatcher(): CoroutineDispatcher =
  Vertx.currentContext()?.dispatcher() ?: Dispatchers.Unconfined

/**
 * Resumes coroutines as another dispatcher does, until it drops them: then none of its coroutines
 * is resumed any more, not even by a cancellation, so that no `finally` of them runs.
 */
internal class DroppingDispatcher(private val inner: CoroutineDispatcher) : CoroutineDispatcher() {
  @Volatile private var dropped = false

  fun drop() {
    dropped = true
  }

  override fun isDispatchNeeded(context: CoroutineContext): Boolean =
    dropped || inner.isDispatchNeeded(context)

  override fun dispatch(context: CoroutineContext, block: Runnable) {
    if (!dropped) {
      inner.dispatch(context) {
        if (!dropped) {
          block.run()
        }
      }
    }
  }
}
