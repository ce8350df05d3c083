package dev.runlane.benchmarks.operate;

import dev.runlane.benchmarks.measure.TimedCalls;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** Every list and overview of the operator API, with the filters that cost most. */
final class OperatedRoutes {
  private static final long FAST_MILLIS = 200;
  private static final int WARM_UP = 3;
  private static final Set<String> NOT_MEASURED = Set.of(
      "/api/v1/changes", // a stream
      "/api/v1/bulk-actions/{bulkId}"); // of this process's memory

  private final Vertx vertx;
  private final HttpClient client;
  private final int port;
  private final OperatedRuns.Templates templates;
  private final String waiting;
  private final Set<String> measured = new TreeSet<>();

  OperatedRoutes(Vertx vertx, int port, OperatedRuns.Templates templates, String waiting) {
    this.vertx = vertx;
    client = vertx.createHttpClient();
    this.port = port;
    this.templates = templates;
    this.waiting = waiting;
  }

  /** Prints percentiles of each; whether all are fast enough. */
  boolean measure(int calls) {
    boolean isFast = true;
    for (Route each : routes()) {
      measured.add(each.path());
      isFast &= measure(each, calls);
    }
    requireAll();
    return isFast;
  }

  private boolean measure(Route route, int calls) {
    String uri = route.uri();
    double[] millis = new double[calls];
    for (int call = -WARM_UP; call < calls; call++) {
      long began = System.nanoTime();
      get(uri);
      if (call >= 0) {
        millis[call] = (System.nanoTime() - began) / 1e6;
      }
    }
    Arrays.sort(millis);
    double p95 = millis[(int) Math.ceil(0.95 * calls) - 1];
    System.out.println(new JsonObject()
        .put("route", uri)
        .put("p50Millis", Math.round(10 * millis[calls / 2]) / 10.0)
        .put("p95Millis", Math.round(10 * p95) / 10.0)
        .put("maxMillis", Math.round(10 * millis[calls - 1]) / 10.0)
        .put("isFast", p95 <= FAST_MILLIS)
        .encode());
    return p95 <= FAST_MILLIS;
  }

  /** Attached where the answer's head is heard: from this thread it may come when the body is over. */
  private Buffer get(String uri) {
    RequestOptions asked = new RequestOptions()
        .setMethod(HttpMethod.GET)
        .setHost("127.0.0.1")
        .setPort(port)
        .setURI(uri);
    return TimedCalls.await(
        client.request(asked).compose(request -> request.send().compose(response -> response
            .body()
            .compose(body -> response.statusCode() == 200
                ? Future.succeededFuture(body)
                : Future.failedFuture(uri + " answered " + response.statusCode() + ": " + body)))));
  }

  /** What the document has and nobody asked. */
  private void requireAll() {
    JsonObject paths = get("/api/openapi.json").toJsonObject().getJsonObject("paths");
    Set<String> missing = new TreeSet<>();
    for (String path : paths.fieldNames()) {
      boolean isOfJobs = path.startsWith("/api/v1/job-queues"); // another store
      if (paths.getJsonObject(path).containsKey("get") && !isOfJobs) {
        missing.add(path);
      }
    }
    missing.removeAll(measured);
    missing.removeAll(NOT_MEASURED);
    if (!missing.isEmpty()) {
      throw new IllegalStateException("not measured: " + missing);
    }
  }

  private List<Route> routes() {
    String day = "from=" + Instant.now().minus(Duration.ofDays(1));
    String lastMonth = "createdFrom=" + Instant.now().minus(Duration.ofDays(60)) + "&createdBefore="
        + Instant.now().minus(Duration.ofDays(30));
    List<Route> routes = new ArrayList<>();
    for (String query : List.of(
        "",
        "limit=200",
        "format=csv&limit=200",
        "direction=asc",
        "sort=updatedAt",
        "sort=updatedAt&direction=asc",
        "status=failed",
        "status=cancelled",
        "status=running",
        "status=queued",
        "status=failed&sort=updatedAt",
        "status=failed&status=cancelled",
        "task=task-7",
        "task=rare",
        "task=task-7&status=failed",
        "task=never",
        "queue=queue-3",
        "queue=rare",
        "queue=never",
        "queue=queue-3&status=failed",
        "concurrencyKey=customer-11",
        "concurrencyKey=nobody",
        "idempotencyKey=order-1",
        "idempotencyKey=nobody",
        "singletonKey=nobody",
        "tag=customer:customer-100",
        "tag=customer:nobody",
        "tag=customer:customer-100&status=failed",
        lastMonth,
        lastMonth + "&status=cancelled",
        lastMonth + "&queue=rare",
        "queue=bounded&status=failed")) {
      routes.add(new Route("/api/v1/runs", query));
    }
    for (String query : List.of(
        "errorCode=task_failed",
        "failureText=warehouse",
        "failureText=nowhere",
        "failureText=nowhere&status=failed",
        "errorCode=lease_lost&task=task-7")) {
      routes.add(new Route("/api/v1/run-search", query));
    }
    for (String query : List.of(
        "",
        "task=task-7",
        "task=rare",
        "queue=queue-3",
        "queue=rare",
        "concurrencyKey=nobody",
        lastMonth)) {
      routes.add(new Route("/api/v1/run-counts", query));
    }
    for (String run : List.of(templates.succeeded(), templates.failed(), waiting)) {
      for (String part :
          List.of("", "/related", "/events", "/history", "/attempts", "/explanation", "/log")) {
        routes.add(new Route("/api/v1/runs/{runId}" + part, "", run));
      }
    }
    routes.add(new Route("/api/v1/throughput", day));
    routes.add(new Route("/api/v1/throughput", day + "&task=task-7"));
    routes.add(new Route("/api/v1/throughput/series", ""));
    routes.add(new Route("/api/v1/throughput/series", "by=task"));
    routes.add(new Route("/api/v1/throughput/series", "stepMinutes=15&" + day));
    routes.add(new Route("/api/v1/throughput/series", "stepMinutes=15&by=task&task=task-7&" + day));
    routes.add(new Route("/api/v1/outbox", ""));
    routes.add(new Route("/api/v1/outbox", "status=dead_lettered&limit=200"));
    routes.add(new Route("/api/v1/actions", "limit=200"));
    routes.add(new Route("/api/v1/queues/{queue}/occupied", "", "bounded"));
    routes.add(new Route("/api/v1/tasks/{taskId}", "", "noop"));
    routes.add(new Route("/api/v1/tasks/{taskId}/schedules/{scheduleId}", "", "noop", "hourly"));
    routes.add(new Route("/api/v1/processes/{processId}/leases", "", process()));
    for (String path : List.of(
        "/api/v1/alerts",
        "/api/v1/alert-rules",
        "/api/v1/saved-filters",
        "/api/v1/bulk-actions",
        "/api/v1/session",
        "/api/v1/processes",
        "/api/v1/depths",
        "/api/v1/depths/history",
        "/api/v1/paused-queues",
        "/api/v1/tasks",
        "/api/v1/queues",
        "/api/v1/schedules",
        "/api/v1/full-partitions",
        "/api/v1/published-queues",
        "/api/v1/topic-lags",
        "/api/v1/steps",
        "/api/v1/step-groups",
        "/api/openapi.json")) {
      routes.add(new Route(path, ""));
    }
    return routes;
  }

  /** One that has said that it lives, which it may not have done yet. */
  private String process() {
    JsonArray processes = get("/api/v1/processes").toJsonObject().getJsonArray("data");
    while (processes.isEmpty()) {
      TimedCalls.await(vertx.timer(100, TimeUnit.MILLISECONDS));
      processes = get("/api/v1/processes").toJsonObject().getJsonArray("data");
    }
    return processes.getJsonObject(processes.size() - 1).getString("id");
  }

  private record Route(String path, String query, List<String> values) {
    Route(String path, String query, String... values) {
      this(path, query, List.of(values));
    }

    String uri() {
      String uri = path;
      for (String value : values) {
        uri = uri.replaceFirst("\\{[a-zA-Z]+}", value);
      }
      return query.isEmpty() ? uri : uri + "?" + query;
    }
  }
}
