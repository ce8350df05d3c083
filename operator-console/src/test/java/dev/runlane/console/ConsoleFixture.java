package dev.runlane.console;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.contract.ApiDocument;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.lane.Lane;
import dev.runlane.lane.LaneOptions;
import dev.runlane.lane.Lanes;
import dev.runlane.operator.log.LogLevel;
import dev.runlane.operator.task.PublishTasks;
import dev.runlane.operator.task.RuntimeTask;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.runtime.RunlaneDeployment;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.memory.MemoryLane;
import dev.runlane.storage.memory.MemoryStepTransport;
import dev.runlane.storage.memory.MemoryTransport;
import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.MediaType;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.validation.ResponseValidator;
import io.vertx.openapi.validation.ValidatableResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A console over a runtime with workers, and a client that holds each answer to the document. */
final class ConsoleFixture implements AutoCloseable {
  static final String ENVIRONMENT = "production";

  /** For what comes at once, unless the machine is busy. */
  static final Duration LONGEST = Duration.ofSeconds(60);

  private static final int TOO_MANY_STREAMS = 429;

  /** Read once: to hold the document to its specification takes longer than most cases do. */
  private static OpenAPIContract known;

  final Vertx vertx = Vertx.vertx();
  final Runlane runlane;
  final Promise<Void> gate = Promise.promise();
  final Jobs jobs;
  final int port;

  private final OperatorConsole console;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final OpenAPIContract contract;
  private final ResponseValidator answers;

  ConsoleFixture(ConsoleOptions options) {
    this(options, Clock.system());
  }

  ConsoleFixture(ConsoleOptions options, Clock clock) {
    this(vertx -> MemoryLane.create(), options, clock);
  }

  ConsoleFixture(Function<Vertx, Lane> lane, ConsoleOptions options, Clock clock) {
    this(lane, options, clock, new RunlaneOptions());
  }

  ConsoleFixture(
      Function<Vertx, Lane> lane, ConsoleOptions options, Clock clock, RunlaneOptions runtime) {
    this(lane, options, clock, runtime, Clock.system());
  }

  /** With a runtime that has the console's clock, as on a machine whose clock is wrong. */
  static ConsoleFixture ofMachine(Function<Vertx, Lane> lane, Clock clock) {
    return new ConsoleFixture(lane, new ConsoleOptions(), clock, new RunlaneOptions(), clock);
  }

  private ConsoleFixture(
      Function<Vertx, Lane> lane,
      ConsoleOptions options,
      Clock clock,
      RunlaneOptions runtime,
      Clock ofRuntime) {
    TaskQueue mail = TaskQueue.of("mail").asDefault();
    runlane = Runlane.builder(vertx, lane.apply(vertx))
        .options(runtime.setEnvironment(ENVIRONMENT))
        .clock(ofRuntime)
        .queue(mail)
        .queue(TaskQueue.of("bounded").concurrencyLimit(1))
        .task(Task.define("echo", JsonObject.class)
            .schedule(Schedule.once("never", Instant.parse("2999-01-01T00:00:00Z"))
                .payload(new JsonObject().put("by", "hand")))
            .handler((payload, context) -> {
              context.log(LogLevel.INFO, "echoes", Map.of("iban", "DE99"));
              return Future.succeededFuture(TaskResult.done(payload));
            }))
        .task(Task.define("gated", JsonObject.class)
            .handler((payload, context) -> gate.future().map(open -> TaskResult.done())))
        .task(Task.define("fails", JsonObject.class)
            .retry(RetryPolicy.NONE)
            .handler((payload, context) ->
                Future.failedFuture(new IllegalStateException("it is broken"))))
        .task(Task.define("recovers", JsonObject.class)
            .retry(RetryPolicy.attempts(2).fixedDelay(Duration.ofMillis(1)))
            .handler((payload, context) -> context.attempt() == 1
                ? Future.failedFuture(
                    RunlaneException.of(ErrorCode.TASK_FAILED, "card 4711 was declined")
                        .asRetryable())
                : gate.future().map(open -> TaskResult.done())))
        .task(Task.define("steps", JsonObject.class).handler((payload, context) -> {
          Future<Void> all = Future.succeededFuture();
          for (int step = 0; step < payload.getInteger("steps"); step++) {
            String name = step + payload.getString("name", "");
            all = all.compose(done -> context
                .step(name, String.class, () -> Future.succeededFuture(payload.getString("output")))
                .mapEmpty());
          }
          return all.map(done -> TaskResult.done());
        }))
        .stepTransport(new MemoryStepTransport())
        .task(Task.define("prints", JsonObject.class)
            .handler((payload, context) ->
                context.remote("invoice:print", payload).map(printed -> TaskResult.done())))
        .task(Task.define("numbered", JsonObject.class)
            .refuseOtherPayload()
            .payloadSchema("{\"type\":\"object\",\"properties\":{\"number\":{\"type\":\"integer\"},"
                + "\"price\":{\"type\":\"number\"}}}")
            .handler((payload, context) -> Future.succeededFuture(TaskResult.done())))
        .task(Task.define("checked", JsonObject.class)
            .payloadSchema("{\"type\":\"object\",\"required\":[\"name\"]}")
            .handler((payload, context) -> Future.succeededFuture(TaskResult.done())))
        .build();
    await(runlane.deploy(vertx, new RunlaneDeployment()));
    JobStore store = new MemoryJobStore(new JobStoreOptions().setMetricsEnabled(true));
    await(store.connect());
    jobs = Jobs.create(vertx, store);
    console = OperatorConsole.create(vertx, runlane, new ConsoleOptions(options).setPort(0), clock)
        .withJobs(jobs);
    port = await(console.start());
    contract = known(vertx);
    answers = ResponseValidator.create(vertx, contract);
  }

  /** A lane for operators over a storage that a test has made. */
  static Lane lane(StorageAdapter storage) {
    return Lanes.create(
        storage,
        new MemoryTransport(),
        new LaneOptions().setName("tested").setOperatorReads(true).setProductionDurable(false));
  }

  /** Says, as another process, that it has this task. */
  void publish(RuntimeTask task) {
    await(runlane
        .lane()
        .storage()
        .operator()
        .orElseThrow()
        .publishTasks(new PublishTasks(
            new Environment(ENVIRONMENT),
            "elsewhere",
            Instant.parse("2026-01-01T00:00:00Z"),
            List.of(task),
            Instant.now())));
  }

  /** Closes the console alone, as at the end of its process. */
  Future<Void> closeConsole() {
    return console.close();
  }

  /** The document, for tests that go through it. */
  OpenAPIContract contract() {
    return contract;
  }

  Answered get(String path) {
    return send("GET", path, null, Map.of());
  }

  Answered post(String path, JsonObject body) {
    return send("POST", path, body.toString(), Map.of("content-type", "application/json"));
  }

  Answered send(String method, String path, String body, Map<String, String> headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + port + path))
        .timeout(LONGEST)
        .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    headers.forEach(request::header);
    try {
      HttpResponse<InputStream> response =
          client.send(request.build(), BodyHandlers.ofInputStream());
      Answered answered = new Answered(response.statusCode(), response.headers(), text(response));
      hold(method, path.split("[?]", 2)[0], answered);
      return answered;
    } catch (IOException broken) {
      throw new AssertionError(method + " " + path + " was not answered", broken);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  /** What came back; of a stream, which has no end, nothing. */
  private static String text(HttpResponse<InputStream> response) throws IOException {
    try (InputStream body = response.body()) {
      return isStream(response) ? "" : new String(body.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static boolean isStream(HttpResponse<?> response) {
    return response.headers().firstValue("content-type").orElse("").equals("text/event-stream");
  }

  /** Opens a stream of events. One that was closed just before is counted until the console has heard of it. */
  EventReader stream(String path, Map<String, String> headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    headers.forEach(request::header);
    long end = System.nanoTime() + LONGEST.toNanos();
    try {
      HttpResponse<InputStream> response =
          client.send(request.build(), BodyHandlers.ofInputStream());
      while (response.statusCode() == TOO_MANY_STREAMS && System.nanoTime() < end) {
        response.body().close();
        response = client.send(request.build(), BodyHandlers.ofInputStream());
      }
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(isStream(response)).isTrue();
      return new EventReader(response.body());
    } catch (IOException broken) {
      throw new AssertionError(path + " was not answered", broken);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  /** All that comes back for these bytes until the console closes the connection. */
  String raw(String request) {
    return rawAt(port, request);
  }

  /** The first line that comes back for these bytes, which need be no whole request. */
  String firstLine(String request) {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout((int) LONGEST.toMillis());
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
          .readLine();
    } catch (IOException broken) {
      throw new AssertionError(broken);
    }
  }

  /** As {@link #raw}, of another console of this machine. */
  String rawAt(int otherPort, String request) {
    try (Socket socket = new Socket("127.0.0.1", otherPort)) {
      socket.setSoTimeout((int) LONGEST.toMillis());
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException broken) {
      throw new AssertionError(broken);
    }
  }

  /** Every answer is one of those that the document knows for its operation. */
  private void hold(String method, String path, Answered answered) {
    assertThat(answered.header("x-request-id")).startsWith("req_");
    Operation operation = contract.findOperation(path, HttpMethod.valueOf(method));
    String type = answered.header("content-type").split(";", 2)[0];
    if (operation == null || !type.equals("application/json")) {
      assertThat(operation != null || answered.status() >= 400).isTrue();
      return;
    }
    await(answers.validate(
        ValidatableResponse.create(
            answered.status(), Map.of(), Buffer.buffer(answered.text()), type),
        operation.getOperationId()));
  }

  /** Waits until the run has ended. */
  JsonObject ended(String runId) {
    await(runlane.awaitRun(runId, LONGEST));
    return get("/api/v1/runs/" + runId).json();
  }

  /** Triggers a run and answers its id. */
  String trigger(String task, JsonObject payload) {
    Answered answered =
        post("/api/v1/tasks/" + task + "/trigger", new JsonObject().put("payload", payload));
    assertThat(answered.status()).isEqualTo(201);
    return answered.json().getJsonObject("run").getString("id");
  }

  static <T> T await(Future<T> future) {
    try {
      return future.await(LONGEST.toSeconds(), SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  private static synchronized OpenAPIContract known(Vertx vertx) {
    if (known == null) {
      known = await(ApiDocument.load(vertx)
          .compose(document -> OpenAPIContract.from(vertx, known(document.json()))));
    }
    return known;
  }

  private static JsonObject known(JsonObject document) {
    document.getJsonObject("paths").forEach(path -> ((JsonObject) path.getValue()).forEach(each -> {
      if (each.getValue() instanceof JsonObject operation) {
        operation.getJsonObject("responses").forEach(response -> {
          JsonObject content = ((JsonObject) response.getValue()).getJsonObject("content");
          if (content != null) {
            List.copyOf(content.fieldNames()).stream()
                .filter(type -> !MediaType.isMediaTypeSupported(type))
                .forEach(content::remove);
          }
        });
      }
    }));
    return document;
  }

  @Override
  public void close() {
    gate.tryComplete();
    await(console.close());
    await(jobs.close());
    await(runlane.close());
    await(vertx.close());
  }

  /** What came back. */
  record Answered(int status, HttpHeaders headers, String text) {
    JsonObject json() {
      return new JsonObject(text);
    }

    String header(String name) {
      return headers.firstValue(name).orElse("");
    }

    /** The refusal in the envelope. */
    JsonObject error() {
      return json().getJsonObject("error");
    }
  }
}
