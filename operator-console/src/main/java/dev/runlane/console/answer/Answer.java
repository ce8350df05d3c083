package dev.runlane.console.answer;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.Map;

/** What a route answers. */
@FunctionalInterface
public interface Answer {
  /** Writes the answer; completes when it was handed to the connection, and fails when it cannot be. */
  Future<?> send(HttpServerResponse response);

  /** What the log of actions says came of it. */
  default String result() {
    return "done";
  }

  /** The same answer to an action of which this came. */
  default Answer ofAction(String result) {
    Answer answer = this;
    return new Answer() {
      @Override
      public Future<?> send(HttpServerResponse response) {
        return answer.send(response);
      }

      @Override
      public String result() {
        return result;
      }
    };
  }

  /** JSON with status 200. */
  static Answer ok(JsonNode body) {
    return json(200, body);
  }

  /** JSON. */
  static Answer json(int status, JsonNode body) {
    return whole(status, "application/json", JsonTexts.bytes(body), Map.of());
  }

  /** A body that is there as a whole. */
  static Answer whole(int status, String contentType, Buffer body, Map<String, String> headers) {
    return response -> {
      response.setStatusCode(status).putHeader("content-type", contentType);
      headers.forEach(response::putHeader);
      return response.end(body);
    };
  }
}
