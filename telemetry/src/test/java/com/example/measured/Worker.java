package com.example.measured;

import dev.runlane.lane.Lanes;
import dev.runlane.postgres.options.PgAddress;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.worker.WorkerOptions;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.telemetry.health.RunlaneHealth;
import dev.runlane.telemetry.metrics.RunlaneDepths;
import dev.runlane.telemetry.metrics.RunlaneMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.healthchecks.CheckResult;
import io.vertx.ext.healthchecks.HealthChecks;
import java.time.Duration;

/** Works on runs, answers /live, /ready and /metrics, and ends in order when it is told to. */
public final class Worker {
  static final Task<String> GREET = Task.define("greet", String.class)
      .handler((name, context) -> Future.succeededFuture(TaskResult.done("Hello " + name)));

  private static final Duration DRAIN = Duration.ofSeconds(20);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Vertx vertx = Vertx.vertx();
  private final Runlane runlane;
  private final RunlaneDepths depths;
  private final HealthChecks liveness;
  private final HealthChecks readiness;
  private final HttpServer server;

  Worker(String database) {
    RunlaneMetrics metrics = RunlaneMetrics.create(registry);
    PgStorageAdapter storage = PgStorageAdapter.create(
        vertx, new PgStorageOptions().setConnectOptions(PgAddress.parse(database)), metrics);
    runlane = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .options(new RunlaneOptions().setCloseTimeout(DRAIN)) // it cuts the drain timeout
        .queue(TaskQueue.of("default").asDefault())
        .task(GREET)
        .observer(metrics)
        .build();
    depths = RunlaneDepths.create(vertx, runlane, registry);
    RunlaneHealth health = RunlaneHealth.create(vertx, runlane);
    liveness = health.liveness();
    readiness = health.readiness();
    server = vertx.createHttpServer().requestHandler(this::answer);
  }

  public static void main(String[] arguments) {
    Worker worker = new Worker(System.getenv("DATABASE"));
    Runtime.getRuntime().addShutdownHook(new Thread(worker::stop));
    try {
      System.out.println("ready on port " + worker.start(8080).await());
    } catch (Exception failure) { // the platform starts it again
      failure.printStackTrace();
      System.exit(1);
    }
  }

  /** Listens first, so that a probe is answered while the database is away. */
  Future<Integer> start(int port) {
    RunlaneDeployment deployment =
        new RunlaneDeployment().setWorker(new WorkerOptions().setDrainTimeout(DRAIN));
    return server
        .listen(port)
        .compose(listening -> runlane.deploy(vertx, deployment))
        .map(deployed -> server.actualPort());
  }

  /** Waits, so not on an event loop. Each part is closed whatever became of the one before, and Vert.x last. */
  void stop() {
    try {
      server
          .close()
          .transform(closed -> depths.close())
          .transform(closed -> runlane.close())
          .await();
    } finally {
      vertx.close().await(); // its loops tell nobody of their own end
    }
  }

  private void answer(HttpServerRequest request) {
    switch (request.path()) {
      case "/live" -> answer(request, liveness);
      case "/ready" -> answer(request, readiness);
      case "/metrics" ->
        request
            .response()
            .putHeader("Content-Type", "text/plain; version=0.0.4")
            .end(registry.scrape());
      default -> request.response().setStatusCode(404).end();
    }
  }

  private static void answer(HttpServerRequest request, HealthChecks checks) {
    checks
        .checkStatus()
        .onSuccess(result -> request
            .response()
            .setStatusCode(CheckResult.isUp(result) ? 200 : 503)
            .end(result.toJson().encode()))
        .onFailure(failure -> request.response().setStatusCode(500).end());
  }
}
