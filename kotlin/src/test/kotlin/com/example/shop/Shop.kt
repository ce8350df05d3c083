package com.example.shop

import dev.runlane.kotlin.awaitEnd
import dev.runlane.kotlin.callStep
import dev.runlane.kotlin.handledBy
import dev.runlane.kotlin.kotlinPayloads
import dev.runlane.kotlin.sleepFor
import dev.runlane.kotlin.task
import dev.runlane.kotlin.triggerRun
import dev.runlane.lane.Lanes
import dev.runlane.runtime.Runlane
import dev.runlane.runtime.RunlaneDeployment
import dev.runlane.runtime.task.RetryPolicy
import dev.runlane.runtime.task.TaskQueue
import dev.runlane.runtime.task.TaskResult
import dev.runlane.storage.pg.PgStorageAdapter
import dev.runlane.storage.pg.PgStorageOptions
import dev.runlane.testinfra.postgres.DataPlace
import dev.runlane.testinfra.postgres.EmbeddedPostgres
import io.vertx.core.Vertx
import io.vertx.kotlin.coroutines.coAwait
import io.vertx.pgclient.PgConnectOptions
import java.nio.file.Path
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.runBlocking

data class Order(val id: String, val cents: Long)

val charge =
  task<Order>("orders.charge") {
      idempotencyKey { it.id } // the same order twice is one run
      retry(RetryPolicy.attempts(5)) // a failure is tried again, later and later
    }
    .handledBy { order ->
      callStep("reserve") { reserve(order) } // done once, whatever crashes later
      sleepFor(5.seconds) // survives a crash
      val receipt = callStep("charge") { pay(order) }
      TaskResult.done(receipt)
    }

private suspend fun reserve(order: Order) {
  println("${order.id} is reserved")
}

private suspend fun pay(order: Order): String {
  println("${order.id} is charged ${order.cents} cents") // call the payment provider here
  return "receipt of ${order.id}"
}

/** Keeps its data in the folder `data`, on a Postgres of its own. */
fun main(orders: Array<String>) {
  EmbeddedPostgres.builder().dataFolder(DataPlace.of(Path.of("data"))).start().use { postgres ->
    val database = PgConnectOptions.fromUri(postgres.address("postgres").toUri())
    runBlocking { work(database, orders.toList()) }
  }
}

/** Works until each of the orders is charged, or has failed for good. */
suspend fun work(database: PgConnectOptions, orders: List<String>) {
  val vertx = Vertx.vertx()
  val storage = PgStorageAdapter.create(vertx, PgStorageOptions().setConnectOptions(database))
  val runlane =
    Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
      .queue(TaskQueue.of("default").asDefault())
      .kotlinPayloads()
      .task(charge)
      .build()
  try {
    runlane.deploy(vertx, RunlaneDeployment()).coAwait() // tables, workers, sweeps
    val runIds = orders.map { id ->
      val order = runlane.triggerRun(charge, Order(id, 500))
      println("$id is stored: ${order.outcome()}") // from here on nothing is lost
      order.run().id()
    }
    for (runId in runIds) {
      val run = runlane.awaitEnd(runId, 5.minutes)
      println("$runId has ${run.status()} ${run.output()?.text() ?: ""}")
    }
  } finally {
    runlane.close().coAwait()
    vertx.close().coAwait()
  }
}
