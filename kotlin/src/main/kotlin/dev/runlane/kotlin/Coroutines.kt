package dev.runlane.kotlin

import io.vertx.core.Future
import io.vertx.core.Promise
import io.vertx.core.Vertx
import io.vertx.kotlin.coroutines.dispatcher
import kotlin.coroutines.CoroutineContext
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
 * A scope on the Vert.x context of the caller, in which whoever is there already goes on at once.
 * Where there is no context, as in a runtime in virtual time, coroutines go on wherever they are
 * resumed.
 */
internal fun callersScope(also: CoroutineContext): CoroutineScope =
  CoroutineScope((Vertx.currentContext()?.dispatcher() ?: Dispatchers.Unconfined) + also)
