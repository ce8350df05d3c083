package dev.runlane.kotlin

import dev.runlane.run.RunStatus
import dev.runlane.run.RunlaneException
import dev.runlane.runtime.task.RetryPolicy
import dev.runlane.runtime.task.SignalReason
import dev.runlane.runtime.task.Step
import dev.runlane.runtime.task.Task
import dev.runlane.runtime.task.TaskResult
import dev.runlane.testing.RunlaneAssertions.assertThat
import dev.runlane.testing.RunlaneTesting
import dev.runlane.testing.TestRun
import io.vertx.core.Future
import io.vertx.core.Promise
import io.vertx.kotlin.coroutines.coAwait
import java.time.Duration
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat as assertValue
import org.assertj.core.api.Assertions.assertThatCode
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.DisplayNameGeneration
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores
import org.junit.jupiter.api.Test

/** Handlers that suspend, in virtual time. */
@DisplayNameGeneration(ReplaceUnderscores::class)
class CoroutinesTest {
  private data class Order(val id: String, val note: String? = null)

  private val seen = mutableListOf<Any>()
  private val testing = RunlaneTesting.create().settings { it.kotlinPayloads() }

  private fun deployed(task: Task<Order>): TestRun {
    testing.deploy(task)
    return testing.trigger(task, Order("o1"))
  }

  @Test
  fun what_a_handler_throws_is_a_failure_of_its_attempt() {
    val run =
      deployed(
        task<Order>("t") { retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofHours(1))) }
          .doneBy { check(attempt() == 3) { "the provider is away" } }
      )

    testing.runUntilIdle()

    assertThat(run).succeeded().afterAttempts(3).waited(Duration.ofHours(2))
  }

  @Test
  fun a_coroutine_that_sleeps_for_a_month_is_called_again_and_no_finally_of_the_first_ran() {
    val run =
      deployed(
        task<Order>("t").doneBy { order ->
          seen += "before"
          try {
            sleepFor(30.days)
          } finally {
            seen += "after ${order.id}"
          }
        }
      )

    testing.runUntilIdle()

    assertThat(run).succeeded()
    assertValue(seen).containsExactly("before", "before", "after o1")
  }

  @Test
  fun what_goes_on_beside_a_sleep_is_dropped_with_its_attempt() {
    val tick = Promise.promise<String>()
    val run =
      deployed(
        task<Order>("t").doneBy {
          coroutineScope {
            launch {
              try {
                seen += "${tick.future().coAwait()} of attempt ${attempt()}"
              } finally {
                seen += "finally of attempt ${attempt()}"
              }
            }
            sleepFor(30.days)
          }
        }
      )
    testing.advance(Duration.ofHours(1))

    tick.complete("tick")
    assertValue(seen).isEmpty()
    testing.runUntilIdle()

    assertThat(run).succeeded()
    assertValue(seen).containsExactly("tick of attempt 2", "finally of attempt 2")
  }

  @Test
  fun what_goes_on_beside_a_step_that_was_recorded_otherwise_is_dropped_with_its_attempt() {
    val tick = Promise.promise<String>()
    var name = "one"
    val run =
      deployed(
        task<Order>("t").doneBy {
          coroutineScope {
            launch {
              tick.future().coAwait()
              seen += "tick of attempt ${attempt()}"
            }
            callStep(name) { seen += "step" }
            sleepFor(1.days)
          }
        }
      )
    testing.runDue()
    name = "other"
    testing.advance(Duration.ofDays(1).plusSeconds(1))
    assertThat(run).wasReleasedBecause("non_deterministic")

    name = "one"
    tick.complete("tick")
    assertValue(seen).containsExactly("step")
    testing.runUntilIdle()

    assertThat(run).succeeded()
    assertValue(seen).doesNotContain("tick of attempt 1", "tick of attempt 2")
  }

  @Test
  fun steps_answer_what_they_recorded_branches_beside_each_other() {
    val run =
      deployed(
        task<Order>("t").handledBy { order ->
          val (first, second) =
            coroutineScope {
              val one = async {
                callStep("one") {
                  seen += "one"
                  Order("1", null)
                }
              }
              val two = async {
                callStep("two") {
                  seen += "two"
                  2L
                }
              }
              one.await() to two.await()
            }
          sleepFor(1.days)
          callStep("none") { seen += "none" }
          val words = callStep("words") { listOf("a", "b") }
          TaskResult.done("${order.id} ${first.id} $second $words")
        }
      )

    testing.runUntilIdle()

    assertThat(run)
      .succeeded()
      .completedSteps("one", "two", "none", "words")
      .hasOutput("o1 1 2 [a, b]")
    assertValue(seen).containsExactly("one", "two", "none")
  }

  @Test
  fun a_step_with_retries_of_its_own_is_tried_again() {
    val flaky = Step.of("flaky", String::class.java).retry(RetryPolicy.attempts(3))
    val run =
      deployed(
        task<Order>("t").doneBy {
          callStep(flaky) {
            seen += "try"
            check(seen.size == 3) { "not yet" }
            "done"
          }
        }
      )

    testing.runUntilIdle()

    assertThat(run).succeeded().afterFailures(0)
    assertValue(seen).hasSize(3)
  }

  @Test
  fun a_step_of_another_program_answers_a_data_class() {
    testing.serve("print") { request ->
      Future.succeededFuture(mapOf("id" to "p-" + request.input(Map::class.java)["id"]))
    }
    val run =
      deployed(
        task<Order>("t").handledBy { order ->
          callRemote<Unit>("print", order)
          val printed = callRemote<Order>("print", order)
          TaskResult.done(printed.id)
        }
      )

    testing.runUntilIdle()

    assertThat(run).succeeded().hasOutput("p-o1")
  }

  @Test
  fun a_type_that_JSON_cannot_be_read_back_as_is_refused_where_it_is_named() {
    assertThatThrownBy { task<Array<List<Order>>>("t") }.isInstanceOf(RunlaneException::class.java)
    assertThatCode { task<Array<Order>>("t") }.doesNotThrowAnyException()
    assertThatCode { task<Array<Array<List<String>>>>("t") }.doesNotThrowAnyException()
    assertThatThrownBy { task<List<Order>>("t") }
      .isInstanceOf(RunlaneException::class.java)
      .hasMessageContaining("the payload of task t")
    val run =
      deployed(
        task<Order>("t").handledBy { TaskResult.done(callStep("orders") { listOf(Order("o2")) }) }
      )

    testing.runUntilIdle()

    assertThat(run).failed()
    assertThat(run).hasFailureContaining("the result of step orders")
  }

  @Test
  fun a_run_that_is_cancelled_cancels_the_coroutine_and_what_it_launched() {
    val run =
      deployed(
        task<Order>("t").doneBy {
          coroutineScope {
            launch { waits("child") }
            waits("handler")
          }
        }
      )
    testing.runDue()

    run.cancel("changed their mind")
    testing.runUntilIdle()

    assertThat(run).cancelled()
    assertValue(seen)
      .containsExactlyInAnyOrder(
        "handler: ${SignalReason.CANCELLATION_REQUESTED}",
        "child: ${SignalReason.CANCELLATION_REQUESTED}",
      )
  }

  private suspend fun waits(who: String) {
    try {
      awaitCancellation()
    } catch (signalled: CancellationException) {
      seen += "$who: ${reason(signalled)}"
      throw signalled
    }
  }

  /** Of a child it is the cause. */
  private fun reason(cancelled: Throwable): SignalReason? =
    generateSequence(cancelled) { it.cause }
      .filterIsInstance<AttemptSignalled>()
      .firstOrNull()
      ?.reason

  @Test
  fun what_is_not_to_be_cancelled_is_done_all_the_same() {
    val provider = Promise.promise<String>()
    val run =
      deployed(
        task<Order>("t").handledBy {
          withContext(NonCancellable) { seen += provider.future().coAwait() }
          TaskResult.done()
        }
      )
    testing.runDue()
    run.cancel("changed their mind")
    testing.runDue()
    assertThat(run).hasStatus(RunStatus.CANCELLATION_REQUESTED)

    provider.complete("answer")
    testing.runUntilIdle()

    assertThat(run).cancelled()
    assertValue(seen).containsExactly("answer")
  }

  @Test
  fun an_attempt_that_takes_too_long_is_cancelled_and_tried_again() {
    val run =
      deployed(
        task<Order>("t") {
            attemptTimeout(Duration.ofMinutes(1))
            retry(RetryPolicy.attempts(2))
          }
          .doneBy { if (attempt() == 1) waits("first") }
      )

    testing.runUntilIdle()

    assertThat(run).succeeded().afterFailures(1)
    assertValue(seen).containsExactly("first: ${SignalReason.ATTEMPT_TIMEOUT}")
  }

  @Test
  fun a_worker_that_stops_gives_the_run_back_without_a_failure() {
    val task = task<Order>("t").doneBy { if (attempt() == 1) waits("first") }
    val run = deployed(task)
    testing.runDue()

    testing.deploy(task) // as in a rolling restart
    testing.runUntilIdle()

    assertThat(run).succeeded().afterFailures(0).afterAttempts(2)
    assertValue(seen).containsExactly("first: ${SignalReason.WORKER_STOPPING}")
  }

  @Test
  fun a_lease_that_is_lost_cancels_the_coroutine_and_the_next_attempt_does_the_work() {
    val run = deployed(task<Order>("t").doneBy { if (attempt() == 1) waits("first") })
    testing.runDue()

    testing.faults().loseLease(run)
    testing.runUntilIdle()

    assertThat(run).succeeded().afterFailures(0).afterAttempts(2)
    assertValue(seen).containsExactly("first: ${SignalReason.LEASE_LOST}")
  }

  @Test
  fun a_step_whose_work_was_cancelled_by_the_signal_is_not_recorded_and_done_by_the_next_attempt() {
    val task = task<Order>("t").doneBy { callStep("work") { if (attempt() == 1) waits("work") } }
    val run = deployed(task)
    testing.runDue()

    testing.deploy(task)
    testing.runUntilIdle()

    assertThat(run).succeeded().afterFailures(0).completedSteps("work")
    assertValue(seen).containsExactly("work: ${SignalReason.WORKER_STOPPING}")
  }

  @Test
  fun a_coroutine_that_is_cancelled_by_the_handler_itself_is_a_failure_not_a_cancelled_run() {
    val run =
      deployed(
        task<Order>("t") { retry(RetryPolicy.attempts(2)) }
          .doneBy {
            if (attempt() == 1) {
              Job().apply { cancel() }.let { gone -> withContext(gone) { seen += "never" } }
            }
          }
      )

    testing.runUntilIdle()

    assertThat(run).succeeded().afterFailures(1)
    assertValue(seen).isEmpty()
  }

  @Test
  fun an_attempt_ends_when_all_is_done_that_it_launched_in_its_scope() {
    val provider = CompletableDeferred<String>()
    val run =
      deployed(task<Order>("t").doneBy { coroutineScope { launch { seen += provider.await() } } })
    testing.runDue()
    assertThat(run).isRunning()

    provider.complete("answer")
    testing.runUntilIdle()

    assertThat(run).succeeded()
    assertValue(seen).containsExactly("answer")
  }

  @Test
  fun a_caller_that_is_cancelled_cancels_its_run_and_none_that_was_there_before_it() {
    val charge = task<Order>("t") { idempotencyKey { it.id } }.doneBy { waits(it.id) }
    testing.deploy(charge)
    val other = testing.trigger(charge, Order("o2"))
    val scope = CoroutineScope(Dispatchers.Unconfined)
    val calls =
      listOf("o1", "o2").map { id ->
        scope.launch { testing.runlane().callRun(charge, Order(id), 365.days) }
      }
    testing.runDue()
    val mine = testing.runs(charge).single { it != other }

    calls.forEach { it.cancel() }
    testing.advance(Duration.ofSeconds(5))

    assertThat(mine).cancelled()
    assertThat(other).isRunning()
    assertValue(calls).allMatch { it.isCancelled }
    other.cancel("done")
    testing.runUntilIdle()
  }

  @Test
  fun a_call_answers_the_run_as_it_ended() {
    val charge = task<Order>("t").handledBy { TaskResult.done(it.id) }
    testing.deploy(charge)
    val call =
      CoroutineScope(Dispatchers.Unconfined).async {
        testing.runlane().callRun(charge, Order("o1"), 10.seconds) {
          setDelay(Duration.ofSeconds(5))
        }
      }

    testing.runUntilIdle()

    assertValue(runBlocking { call.await() }.status()).isEqualTo(RunStatus.SUCCEEDED)
  }
}
