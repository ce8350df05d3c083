package dev.runlane.connector.http;

import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.ext.web.RoutingContext;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands an owner's answer on to the process that has the child, with the caller's token, and its answer back. The
 * request passes through memory only. A forwarded request is not forwarded again. Cookies stay here: a log-in is known
 * to one process alone.
 */
final class AnswerForwarder {
  private static final Logger LOG = LoggerFactory.getLogger(AnswerForwarder.class);
  private static final String FORWARDED = "x-runlane-forwarded";
  private static final int CONNECT_MILLIS = 2_000;
  private static final long ANSWER_MILLIS = 10_000;
  private static final Duration ANSWERED_WITHIN = Duration.ofMillis(ANSWER_MILLIS);
  private static final int MOST_CONNECTIONS = 8;
  private static final int MOST_BYTES =
      64 * 1024; // an acknowledgement or an error has some hundred
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;

  private final HttpClient client;
  private final Timers timers;

  AnswerForwarder(Vertx vertx) {
    timers = Timers.of(vertx);
    client = vertx
        .httpClientBuilder()
        .with(new HttpClientOptions()
            .setConnectTimeout(CONNECT_MILLIS)
            .setDecompressionSupported(false))
        .with(new PoolOptions().setHttp1MaxSize(MOST_CONNECTIONS))
        .build();
  }

  static boolean wasForwarded(RoutingContext request) {
    return request.request().getHeader(FORWARDED) != null;
  }

  /** Completes when the request has been answered; fails when the other process cannot be asked. */
  Future<Void> forward(RoutingContext request, String address, String runId) {
    Buffer body = request.body().buffer();
    return Future.<Void>succeededFuture()
        .compose(
            start -> client.request(to(request, address, runId))) // throws for what is no address
        .compose(other -> other.send(body))
        .compose(answer -> timers
            .within(ANSWERED_WITHIN, read(answer), () -> new TimeoutException("no whole answer"))
            .onFailure(late -> answer.request().reset())
            .compose(text -> isRefused(answer)
                ? refused(request, answer.statusCode(), address, runId)
                : request
                    .response()
                    .setStatusCode(answer.statusCode())
                    .putHeader("content-type", "application/json")
                    .end(text)))
        .onFailure(failure -> LOG.warn(
            "an answer for run {} was not handed on to {}: {}",
            runId,
            address,
            failure.toString()));
  }

  private static Future<Buffer> read(HttpClientResponse answer) {
    Promise<Buffer> read = Promise.promise();
    Buffer text = Buffer.buffer();
    answer.handler(part -> {
      if (text.length() + part.length() > MOST_BYTES) {
        read.tryFail("the answer has more than " + MOST_BYTES + " bytes");
      } else {
        text.appendBuffer(part);
      }
    });
    answer.exceptionHandler(read::tryFail);
    answer.endHandler(end -> read.tryComplete(text));
    return read.future();
  }

  private static boolean isRefused(HttpClientResponse answer) {
    return answer.statusCode() == UNAUTHORIZED || answer.statusCode() == FORBIDDEN;
  }

  /** This process let the caller through: the other's 401 would end a session here that is sound. */
  private static Future<Void> refused(
      RoutingContext request, int status, String address, String runId) {
    LOG.warn("{} refused an answer for run {} with {}", address, runId, status);
    request.fail(new HttpRefusal(new HttpError(
        503,
        "run_owner_refused",
        "the run's process at %s does not know who asks, or does not let them answer"
            .formatted(address),
        null,
        runId)));
    return Future.succeededFuture();
  }

  private static RequestOptions to(RoutingContext request, String address, String runId) {
    RequestOptions options = new RequestOptions()
        .setMethod(HttpMethod.POST)
        .setTimeout(ANSWER_MILLIS)
        .setAbsoluteURI(address + "/_ref/runs/" + encoded(runId) + "/interaction")
        .putHeader(FORWARDED, "1")
        .putHeader("content-type", "application/json");
    String token = request.request().getHeader("authorization");
    return token == null ? options : options.putHeader("authorization", token);
  }

  Future<Void> close() {
    return client.close();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
