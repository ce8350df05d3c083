package com.example.recipes;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.lane.Lanes;
import dev.runlane.run.RunStatus;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.storage.read.RunFilter;
import dev.runlane.testinfra.postgres.PostgresServers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class OrdersTest {
  @Test
  void an_order_and_its_run_exist_together_or_not_at_all() throws Exception {
    Vertx vertx = Vertx.vertx();
    PgConnectOptions database = PgConnectOptions.fromUri(
        PostgresServers.shared().createDatabase("orders").toUri());
    Pool pool = PgBuilder.pool()
        .with(new PoolOptions().setMaxSize(2))
        .connectingTo(database)
        .using(vertx)
        .build();
    PgStorageAdapter storage =
        PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(database));
    Runlane runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(TaskQueue.of("default").asDefault())
        .task(Orders.CHARGE.handler(
            (order, context) -> Future.succeededFuture(TaskResult.done("charged " + order))))
        .build();
    try {
      pool.query("CREATE TABLE orders (id text PRIMARY KEY)").execute().await(30, SECONDS);
      runlane.deploy(vertx, new RunlaneDeployment()).await(60, SECONDS);
      Orders orders = new Orders(pool, storage, runlane);

      String run = orders.accept("o1").await(30, SECONDS);
      assertThat(
              runlane.awaitRun(run, Duration.ofSeconds(30)).await(40, SECONDS).status())
          .isEqualTo(RunStatus.SUCCEEDED);
      assertThatThrownBy(() -> orders.accept("o1").await(30, SECONDS)) // the insert fails
          .isInstanceOf(PgException.class);

      assertThat(runlane.runs().list(RunFilter.ALL).await(30, SECONDS).data()).hasSize(1);
    } finally {
      runlane.close().await(30, SECONDS);
      vertx.close().await(30, SECONDS);
    }
  }
}
