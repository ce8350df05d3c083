package dev.runlane.client.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests one by one, each once: nothing is sent again, since nobody knows what became of an action whose answer
 * was lost. Redirects are not followed, since the token would go with them.
 *
 * @param http the client
 * @param server where
 * @param token asked for before each request; empty: none is sent
 * @param connectTimeout how long a connection may take
 * @param requestTimeout how long a request may take in all, and how long its token
 * @param maxAnswerBytes the largest answer
 */
public record ApiCalls(
    HttpClient http,
    URI server,
    Supplier<Future<String>> token,
    Duration connectTimeout,
    Duration requestTimeout,
    int maxAnswerBytes) {
  /** In the {@code meta} of a failure: the envelope's code, where it is none of {@link ErrorCode}. */
  public static final String API_CODE = "apiCode";

  private static final String JSON = "application/json";

  /** Reads. */
  public Future<JsonNode> get(ApiAddress address) {
    return send(HttpMethod.GET, address, null);
  }

  /** Acts. */
  public Future<JsonNode> post(ApiAddress address, JsonNode body) {
    return send(HttpMethod.POST, address, body);
  }

  /** The answer's body. Fails with what the envelope tells, or that there was no answer. */
  public Future<JsonNode> send(HttpMethod method, ApiAddress address, @Nullable JsonNode body) {
    return secret()
        .compose(secret -> exchange(method, address, body, secret))
        .recover(failure -> Future.failedFuture(
            failure instanceof RunlaneException known ? known : unavailable(failure)));
  }

  private Future<String> secret() {
    return Future.<Void>succeededFuture()
        .compose(start -> token.get())
        .timeout(requestTimeout.toMillis(), TimeUnit.MILLISECONDS)
        .recover(failure -> Future.failedFuture(
            failure instanceof TimeoutException
                ? RunlaneException.unavailable(
                    ErrorCode.TRANSPORT_UNAVAILABLE,
                    failure,
                    "no token was given within %s",
                    requestTimeout)
                : failure instanceof RunlaneException known ? known : noToken(failure)))
        .map(ApiCalls::usable);
  }

  private Future<JsonNode> exchange(
      HttpMethod method, ApiAddress address, @Nullable JsonNode body, String secret) {
    return http.request(new RequestOptions()
            .setMethod(method)
            .setHost(server.getHost())
            .setPort(port())
            .setSsl("https".equals(server.getScheme()))
            .setURI(address.below(server))
            .setConnectTimeout(connectTimeout.toMillis())
            .setFollowRedirects(false))
        .compose(request -> {
          request.putHeader("accept", JSON);
          if (!secret.isEmpty()) {
            request.putHeader("authorization", "Bearer " + secret);
          }
          return answered(request, body)
              .timeout(requestTimeout.toMillis(), TimeUnit.MILLISECONDS)
              .onFailure(failure -> request.reset());
        });
  }

  private Future<JsonNode> answered(HttpClientRequest request, @Nullable JsonNode body) {
    if (body != null) {
      request.putHeader("content-type", JSON);
    }
    return (body == null ? request.send() : request.send(ApiJson.bytes(body)))
        .compose(response -> bounded(response).map(bytes -> ApiAnswer.of(response, bytes)))
        .map(ApiAnswer::json);
  }

  private Future<Buffer> bounded(HttpClientResponse response) {
    Promise<Buffer> whole = Promise.promise();
    Buffer read = Buffer.buffer();
    response.exceptionHandler(whole::tryFail);
    response.handler(part -> {
      if (read.length() + part.length() <= maxAnswerBytes) {
        read.appendBuffer(part);
      } else {
        whole.tryFail(RunlaneException.validationFailed(
            "the answer has more than %d bytes, which is more than this client reads",
            maxAnswerBytes));
      }
    });
    response.endHandler(end -> whole.tryComplete(read));
    return whole.future();
  }

  private int port() {
    return server.getPort() >= 0 ? server.getPort() : "https".equals(server.getScheme()) ? 443 : 80;
  }

  /** A header's own complaint would quote it. */
  private static String usable(@Nullable String token) {
    String given = token == null ? "" : token.strip();
    if (given.chars().anyMatch(each -> each <= ' ' || each > '~')) {
      throw RunlaneException.configurationInvalid(
          "the token has characters that a token cannot have");
    }
    return given;
  }

  /** Without the message, which may be of who gives tokens. */
  private static RunlaneException noToken(Throwable failure) {
    return RunlaneException.unavailable(
        ErrorCode.TRANSPORT_UNAVAILABLE,
        failure,
        "no token could be had for the operator API (%s)",
        failure.getClass().getSimpleName());
  }

  private static RunlaneException unavailable(Throwable failure) {
    return RunlaneException.unavailable(
        ErrorCode.TRANSPORT_UNAVAILABLE,
        failure,
        "the server of the operator API did not answer (%s)",
        failure.getClass().getSimpleName());
  }
}
