package dev.runlane.connector.store.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Calls of one server: with the owner's token, no redirects, a bound in time and in what is read. */
final class HttpCalls {
  private final HttpClient client;
  private final HttpRecordSinkOptions options;
  private final TokenSource tokens;
  private final URI base;

  HttpCalls(HttpClient client, HttpRecordSinkOptions options, TokenSource tokens) {
    this.client = client;
    this.options = options;
    this.tokens = tokens;
    this.base = Objects.requireNonNull(options.getBaseUri());
  }

  /** The answer, whatever it is; fails when none came in time. A request that is given up is reset. */
  Future<HttpAnswer> call(HttpMethod method, String path, String contentType, Buffer body) {
    Call call = new Call();
    return token()
        .compose(token -> call.send(request(method, path, contentType, body, token), body))
        .timeout(options.getTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .onFailure(failure -> call.giveUp());
  }

  private RequestOptions request(
      HttpMethod method, String path, String contentType, Buffer body, String token) {
    RequestOptions request = new RequestOptions()
        .setMethod(method)
        .setAbsoluteURI(address(path))
        .setFollowRedirects(false)
        .setConnectTimeout(options.getTimeout().toMillis())
        .putHeader("Accept", "application/json")
        .putHeader("Authorization", "Bearer " + token);
    return body.length() == 0 ? request : request.putHeader("Content-Type", contentType);
  }

  private Future<String> token() {
    return Future.<Void>succeededFuture()
        .compose(start -> tokens.token())
        .transform((token, failure) -> failure == null && isHeaderText(token)
            ? Future.succeededFuture(token)
            : Future.failedFuture(new NoTokenException(failure)));
  }

  /** A source that answers nothing has no token. */
  private static boolean isHeaderText(@Nullable String token) {
    return token != null
        && !token.isEmpty()
        && token.chars().allMatch(each -> each > ' ' && each < 127);
  }

  /** Stops reading, and drops the connection, where the answer is too long. */
  private Future<HttpAnswer> read(HttpClientResponse response) {
    Promise<HttpAnswer> read = Promise.promise();
    Buffer body = Buffer.buffer();
    response.handler(chunk -> {
      if (body.length() + (long) chunk.length() <= options.getMaxResponseBytes()) {
        body.appendBuffer(chunk);
      } else if (read.tryComplete(
          answer(response, Buffer.buffer(), body.length() + (long) chunk.length(), false))) {
        response.request().reset();
      }
    });
    response.exceptionHandler(read::tryFail);
    response.endHandler(end -> read.tryComplete(answer(response, body, body.length(), true)));
    return read.future();
  }

  private static HttpAnswer answer(
      HttpClientResponse response, Buffer body, long bodyBytes, boolean whole) {
    return new HttpAnswer(
        response.statusCode(), response.getHeader("Content-Type"), body, bodyBytes, whole);
  }

  private String address(String path) {
    String start = base.toString();
    return (start.endsWith("/") ? start.substring(0, start.length() - 1) : start) + path;
  }

  /** A path segment or a value of a query, whatever it holds. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  static String query(Map<String, String> parameters) {
    StringBuilder query = new StringBuilder();
    parameters.forEach((name, value) -> query
        .append(query.length() == 0 ? '?' : '&')
        .append(name)
        .append('=')
        .append(encoded(value)));
    return query.toString();
  }

  /**
   * One call, which may be given up at any time: then nothing more of it is sent. A token may come on any thread,
   * so what the timer must see is volatile.
   */
  private final class Call {
    private volatile @Nullable HttpClientRequest open;
    private volatile boolean givenUp;

    Future<HttpAnswer> send(RequestOptions options, Buffer body) {
      if (givenUp) {
        return Future.failedFuture("given up");
      }
      return client.request(options).compose(request -> {
        open = request;
        if (givenUp) {
          request.reset();
          return Future.failedFuture("given up");
        }
        return request.send(body).compose(HttpCalls.this::read);
      });
    }

    void giveUp() {
      givenUp = true;
      HttpClientRequest request = open;
      if (request != null) {
        request.reset();
      }
    }
  }

  /** There is no usable token. Its message says nothing of what there was instead. */
  static final class NoTokenException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoTokenException(@Nullable Throwable cause) {
      super("there is no usable bearer token", cause);
    }
  }
}
