package dev.runlane.console;

import dev.runlane.timing.Clock;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for all that the first page takes before anybody else can: what is done for the first time, from loading classes
 * to preparing statements, takes several times as long, and would keep the first reader waiting. It goes through a
 * server of its own on the loopback address that is there meanwhile only, so that it counts as nobody's connection.
 */
final class Rehearsal {
  private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);
  private static final String LOOPBACK = "127.0.0.1";
  private static final int CONNECTIONS = 6; // as many as a browser opens
  private static final int ROUNDS = 3;
  private static final long LONGEST_MILLIS = 3_000;

  private final Vertx vertx;
  private final String token;
  private final Clock clock;

  /** Is let through by this token. */
  Rehearsal(Vertx vertx, String token, Clock clock) {
    this.vertx = vertx;
    this.token = token;
    this.clock = clock;
  }

  /** Completes when all was asked for, or after three seconds; never fails: a storage that is away is told later. */
  Future<Void> of(Handler<HttpServerRequest> served) {
    HttpServer server = vertx
        .createHttpServer(
            new HttpServerOptions().setHost(LOOPBACK).setPort(0).setCompressionSupported(true))
        .requestHandler(served);
    HttpClient client = vertx.createHttpClient(
        new HttpClientOptions().setDefaultHost(LOOPBACK),
        new PoolOptions().setHttp1MaxSize(CONNECTIONS));
    return server
        .listen()
        .compose(listening -> rounds(client, listening.actualPort(), ROUNDS))
        .timeout(LONGEST_MILLIS, TimeUnit.MILLISECONDS)
        .onFailure(failure -> LOG.debug("the first page was not rehearsed", failure))
        .eventually(client::close)
        .eventually(server::close)
        .otherwiseEmpty();
  }

  private Future<Void> rounds(HttpClient client, int port, int left) {
    if (left == 0) {
      return Future.succeededFuture();
    }
    List<Future<?>> answers = new ArrayList<>();
    paths().forEach(path -> answers.add(get(client, port, path)));
    return Future.join(answers).compose(all -> rounds(client, port, left - 1));
  }

  private Future<?> get(HttpClient client, int port, String path) {
    return client
        .request(new RequestOptions().setMethod(HttpMethod.GET).setPort(port).setURI(path))
        .compose(request -> request
            .putHeader("authorization", "Bearer " + token)
            .putHeader("accept-encoding", "gzip")
            .send())
        .compose(response -> response.body());
  }

  /** The page, and what it reads. */
  List<String> paths() {
    Instant now = clock.now().truncatedTo(ChronoUnit.MINUTES);
    return List.of(
        "/",
        "/api/v1/session",
        "/api/v1/depths",
        "/api/v1/depths/history",
        "/api/v1/processes?names=0&limit=200",
        "/api/v1/process-names",
        "/api/v1/paused-queues",
        "/api/v1/tasks",
        "/api/v1/schedules?limit=200",
        "/api/v1/runs?status=failed&sort=updatedAt&limit=50",
        "/api/v1/throughput/series?stepMinutes=1&by=queue&from=" + now.minus(3, ChronoUnit.HOURS)
            + "&until=" + now,
        "/api/v1/alerts?state=open&limit=11",
        "/api/v1/full-partitions");
  }
}
