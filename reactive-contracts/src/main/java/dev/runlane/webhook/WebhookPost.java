package dev.runlane.webhook;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxException;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** Sends requests by HTTP POST, through the {@link OutboundProxy} of each. Redirects are not followed. */
public final class WebhookPost {
  private final HttpClient http;
  private final long timeoutMillis;

  /**
   * A client of its own, until closed.
   *
   * @param requestTimeout how long a request may take before it has failed
   * @param atOnce how many requests one receiver gets at once, each on a connection of its own; further ones wait, for
   *     as long as a request may take
   */
  public WebhookPost(Vertx vertx, Duration requestTimeout, int atOnce) {
    timeoutMillis = requestTimeout.toMillis();
    http = vertx.createHttpClient(
        new HttpClientOptions()
            .setConnectTimeout(Math.toIntExact(Math.min(Integer.MAX_VALUE, timeoutMillis))),
        new PoolOptions().setHttp1MaxSize(atOnce));
  }

  /**
   * The status of the response. Fails with {@code TransportUnavailable} when none comes, with {@code
   * TransportPublishFailed} for what is no failure of input or output, such as a client that is closed, and with an
   * {@code Error} as it is; nothing of the other failures holds the address's path or query, which may let somebody in,
   * so that they may be logged.
   */
  public Future<Integer> send(WebhookRequest request) {
    return Future.<Void>succeededFuture()
        .compose(start -> http.request(options(request)))
        .compose(open -> answered(open, request.body()))
        .recover(failure -> Future.failedFuture(withoutAddress(failure)));
  }

  private RequestOptions options(WebhookRequest request) {
    RequestOptions options = new RequestOptions()
        .setMethod(HttpMethod.POST)
        .setAbsoluteURI(request.address().toString())
        .setIdleTimeout(timeoutMillis)
        .setTimeout(timeoutMillis)
        .putHeader("content-type", "application/json")
        .putHeader("runlane-delivery", request.deliveryId())
        .putHeader("runlane-timestamp", request.timestamp())
        .putHeader("runlane-signature", request.signature());
    OutboundProxy.of(request.address()).ifPresent(options::setProxyOptions);
    return options;
  }

  /** The client's own messages quote method, path and query; those of sockets and of TLS know the host alone. */
  private Throwable withoutAddress(Throwable failure) {
    if (failure instanceof Error) {
      return failure;
    }
    if (!isOfTheNetwork(failure)) {
      RunlaneException unsent = RunlaneException.of(
          ErrorCode.TRANSPORT_PUBLISH_FAILED,
          "the request failed: %s",
          failure.getClass().getName());
      unsent.setStackTrace(failure.getStackTrace()); // not its message
      return unsent;
    }
    String why;
    if (failure instanceof TimeoutException) {
      why = "no answer within " + timeoutMillis + " ms";
    } else if (failure instanceof SocketException
        || failure instanceof UnknownHostException
        || failure instanceof SSLException) {
      why = failure.toString();
    } else {
      why = failure.getClass().getSimpleName();
    }
    return RunlaneException.unavailable(
        ErrorCode.TRANSPORT_UNAVAILABLE, null, "the receiver cannot be told: %s", why);
  }

  private static boolean isOfTheNetwork(Throwable failure) {
    return failure instanceof TimeoutException
        || failure instanceof IOException
        || failure instanceof VertxException;
  }

  /** Whatever the receiver answers beside its status is thrown away; who takes too long is cut off. */
  private Future<Integer> answered(HttpClientRequest open, String body) {
    return open.send(body)
        .compose(WebhookPost::status)
        .timeout(timeoutMillis, TimeUnit.MILLISECONDS)
        .onFailure(failure -> open.reset());
  }

  private static Future<Integer> status(HttpClientResponse response) {
    return response.end().map(read -> response.statusCode());
  }

  /** Fails with {@code TransportPublishFailed} unless the status is from 200 to 299. */
  public static Future<Void> accepted(int status) {
    return status >= 200 && status < 300
        ? Future.succeededFuture()
        : Future.failedFuture(RunlaneException.of(
            ErrorCode.TRANSPORT_PUBLISH_FAILED, "it answered with status %d", status));
  }

  /** Closes its connections. */
  public Future<Void> close() {
    return http.close();
  }
}
