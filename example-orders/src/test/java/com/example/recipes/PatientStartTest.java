package com.example.recipes;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.DeployedRunlane;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class PatientStartTest {
  @Test
  void a_start_without_a_database_fails_and_may_be_made_again() throws Exception {
    Task<String> greet = Task.define("greet", String.class)
        .handler((name, context) -> Future.succeededFuture(TaskResult.done("hello " + name)));
    Vertx vertx = Vertx.vertx();
    try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
      PgConnectOptions database =
          PgConnectOptions.fromUri(server.createDatabase("late").toUri());
      PgStorageAdapter storage =
          PgStorageAdapter.create(vertx, new PgStorageOptions().setConnectOptions(database));
      Runlane runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
          .queue(TaskQueue.of("default").asDefault())
          .task(greet)
          .build();
      server.kill();

      Throwable failure = runlane
          .deploy(vertx, new RunlaneDeployment())
          .<Throwable>map(deployed -> null)
          .otherwise(refused -> refused)
          .await(60, SECONDS);
      Future<DeployedRunlane> patient = PatientStart.deploy(vertx, runlane);
      server.restart();
      patient.await(60, SECONDS);

      assertThat(failure).isInstanceOfSatisfying(RunlaneException.class, known -> {
        assertThat(known.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
        assertThat(known.isRetryable()).isTrue();
      });
      String run = runlane.trigger(greet, "ada").await(30, SECONDS).run().id();
      assertThat(
              runlane.awaitRun(run, Duration.ofSeconds(30)).await(40, SECONDS).status())
          .isEqualTo(RunStatus.SUCCEEDED);
      runlane.close().await(30, SECONDS);
    } finally {
      vertx.close().await(30, SECONDS);
    }
  }
}
