package dev.runlane.kotlin

import com.example.shop.work
import dev.runlane.testinfra.postgres.PostgresServers
import io.vertx.core.Vertx
import io.vertx.kotlin.coroutines.coAwait
import io.vertx.pgclient.PgBuilder
import io.vertx.pgclient.PgConnectOptions
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.DisplayNameGeneration
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores
import org.junit.jupiter.api.Test

/** The guide's program, on Postgres. */
@DisplayNameGeneration(ReplaceUnderscores::class)
class ShopOnPostgresTest {
  @Test
  fun orders_of_data_classes_are_charged_once_though_they_are_placed_again() = runBlocking {
    val database =
      PgConnectOptions.fromUri(PostgresServers.shared().createDatabase("kotlin").toUri())

    work(database, listOf("o1", "o2"))
    work(database, listOf("o2"))

    assertThat(ended(database)).containsExactly("succeeded", "succeeded")
    Unit
  }

  private suspend fun ended(database: PgConnectOptions): List<String> {
    val vertx = Vertx.vertx()
    val pool = PgBuilder.pool().connectingTo(database).using(vertx).build()
    try {
      return pool.query("SELECT status FROM runlane.terminal_runs").execute().coAwait().map {
        it.getString("status")
      }
    } finally {
      pool.close().coAwait()
      vertx.close().coAwait()
    }
  }
}
