package dev.runlane.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.client.http.ApiAddress;
import dev.runlane.client.http.ApiCalls;
import dev.runlane.client.read.Fields;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.PemTrustOptions;
import java.net.URI;
import java.util.function.Supplier;

/**
 * The operator API as Java: a thin client of its routes, typed by the records of the contracts. Safe for use by any
 * thread; no method throws once the client is made: every failure comes through the future, as a {@link
 * RunlaneException}.
 *
 * <p>What the server refuses or fails with has the code of its envelope, with {@code requestId} in its meta. Beside
 * those: {@code ConfigurationInvalid} where the server does not know the token, or the token may not do what is asked;
 * {@code TransportUnavailable}, retryable, where the server cannot be reached or does not answer in time; {@code
 * CapabilityUnsupported} for what the server does not have; {@code AdapterContractViolation} where what answers is no
 * operator API that this release can read; fields that a later server adds are passed over. Nothing is sent twice: an
 * action whose answer was lost may have been done.
 */
public final class ApiClient {
  private final HttpClient http;
  private final ApiCalls calls;
  private final RunsClient runs;
  private final TasksClient tasks;
  private final SchedulesClient schedules;
  private final FleetClient fleet;
  private final JobsClient jobs;
  private final AlertsClient alerts;

  private ApiClient(HttpClient http, ApiCalls calls) {
    this.http = http;
    this.calls = calls;
    runs = new RunsClient(calls);
    tasks = new TasksClient(calls);
    schedules = new SchedulesClient(calls);
    fleet = new FleetClient(calls);
    jobs = new JobsClient(calls);
    alerts = new AlertsClient(calls);
  }

  /** A client without a token, of a console on the loopback address. */
  public static ApiClient create(Vertx vertx, ApiClientOptions options) {
    return create(vertx, options, () -> Future.succeededFuture(""));
  }

  /**
   * A client. Nothing is opened before the first request.
   *
   * @param token asked for the bearer token before each request, so that it may be renewed; the empty text: none is
   *     sent. It is told nobody else, and goes with no redirect. Over {@code http} whoever listens in learns it.
   */
  public static ApiClient create(
      Vertx vertx, ApiClientOptions options, Supplier<Future<String>> token) {
    ApiClientOptions given = new ApiClientOptions(options);
    HttpClientOptions http = new HttpClientOptions().setConnectTimeout((int) Math.min(
        Integer.MAX_VALUE, given.getConnectTimeout().toMillis())); // each request has its own bound
    given
        .getTrustedCertificatePath()
        .ifPresent(path -> http.setTrustOptions(new PemTrustOptions().addCertPath(path)));
    PoolOptions pool = new PoolOptions()
        .setHttp1MaxSize(given.getMaxConnections())
        .setMaxWaitQueueSize(given.getMaxWaiting());
    HttpClient client = vertx.createHttpClient(http, pool);
    return new ApiClient(
        client,
        new ApiCalls(
            client,
            URI.create(given.getUrl()),
            token,
            given.getConnectTimeout(),
            given.getRequestTimeout(),
            given.getMaxAnswerBytes()));
  }

  /** Runs. */
  public RunsClient runs() {
    return runs;
  }

  /** Tasks, and triggers of their runs. */
  public TasksClient tasks() {
    return tasks;
  }

  /** Schedules. */
  public SchedulesClient schedules() {
    return schedules;
  }

  /** Processes, queues, the outbox, and what operators did. */
  public FleetClient fleet() {
    return fleet;
  }

  /** Job queues. Fails with {@code CapabilityUnsupported} where the server was given none. */
  public JobsClient jobs() {
    return jobs;
  }

  /** Alerts, and the silence of their rules. */
  public AlertsClient alerts() {
    return alerts;
  }

  /** Who the server takes this client for, and what it serves. */
  public Future<ApiSession> session() {
    return calls.get(ApiAddress.of("session")).map(ApiClient::session);
  }

  private static ApiSession session(JsonNode node) {
    Fields session = new Fields("the session", node);
    return new ApiSession(
        session.text("actor"),
        session.text("role"),
        session.text("environment"),
        session.text("lane"),
        session.texts("serves"));
  }

  /** Closes all connections; requests under way fail. */
  public Future<Void> close() {
    return http.close();
  }
}
