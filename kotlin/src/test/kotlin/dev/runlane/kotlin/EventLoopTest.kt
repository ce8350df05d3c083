package dev.runlane.kotlin

import dev.runlane.run.RunStatus
import dev.runlane.runtime.Runlane
import dev.runlane.runtime.RunlaneDeployment
import dev.runlane.runtime.task.TaskQueue
import dev.runlane.storage.memory.MemoryLane
import io.vertx.core.Context
import io.vertx.core.Vertx
import io.vertx.kotlin.coroutines.coAwait
import java.util.concurrent.CopyOnWriteArrayList
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.DisplayNameGeneration
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores
import org.junit.jupiter.api.Test
import org.slf4j.MDC
import org.slf4j.helpers.BasicMDCAdapter
import org.slf4j.spi.MDCAdapter

/** Where a handler that suspends goes on, on real event loops. */
@DisplayNameGeneration(ReplaceUnderscores::class)
class EventLoopTest {
  private var before: MDCAdapter? = null

  /** The tests' logger keeps no MDC. */
  @BeforeEach
  fun keepMdc() {
    before = adapter(BasicMDCAdapter())
  }

  @AfterEach
  fun dropMdc() {
    adapter(before)
  }

  private fun adapter(next: MDCAdapter?): MDCAdapter? {
    MDC.clear() // makes the adapter
    val field = MDC::class.java.declaredFields.single { it.type == MDCAdapter::class.java }
    field.isAccessible = true
    return (field.get(null) as MDCAdapter?).also { field.set(null, next) }
  }

  private class Turn {
    val context: Context? = Vertx.currentContext()
    val onEventLoop = Context.isOnEventLoopThread()
    val run: String? = MDC.get("run")
  }

  @Test
  fun a_handler_goes_on_on_its_own_event_loop_and_its_log_names_the_run_on_every_thread() =
    runBlocking {
      val vertx = Vertx.vertx()
      val turns = CopyOnWriteArrayList<Turn>()
      val task =
        task<String>("t").doneBy {
          turns += Turn()
          withContext(Dispatchers.Default) { turns += Turn() }
          turns += Turn()
          delay(1.milliseconds)
          turns += Turn()
          callStep("s") { turns += Turn() }
          turns += Turn()
        }
      try {
        val runlane =
          Runlane.builder(vertx, MemoryLane.create())
            .queue(TaskQueue.of("default").asDefault())
            .task(task)
            .build()
        runlane.deploy(vertx, RunlaneDeployment()).coAwait()
        val ended = runlane.callRun(task, "p", 60.seconds)
        assertThat(ended.status()).isEqualTo(RunStatus.SUCCEEDED)
        runlane.close().coAwait()

        assertThat(turns).hasSize(6).allMatch { it.run == ended.id() }
        val there = turns.filterIndexed { place, _ -> place != 1 }
        assertThat(there).allMatch { it.onEventLoop && it.context === turns[0].context }
        assertThat(turns[1].onEventLoop).isFalse()
      } finally {
        vertx.close().coAwait()
      }
      Unit
    }

  @Test
  fun a_handler_s_own_timeout_fails_its_attempt_and_cancels_no_run() = runBlocking {
    val vertx = Vertx.vertx()
    val task = task<String>("t").doneBy { withTimeout(1.milliseconds) { delay(30.seconds) } }
    try {
      val runlane =
        Runlane.builder(vertx, MemoryLane.create())
          .queue(TaskQueue.of("default").asDefault())
          .task(task)
          .build()
      runlane.deploy(vertx, RunlaneDeployment()).coAwait()
      val ended = runlane.callRun(task, "p", 60.seconds)
      runlane.close().coAwait()

      assertThat(ended.status()).isEqualTo(RunStatus.FAILED)
    } finally {
      vertx.close().coAwait()
    }
    Unit
  }
}
