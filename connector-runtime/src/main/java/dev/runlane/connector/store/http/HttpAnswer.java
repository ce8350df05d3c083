package dev.runlane.connector.store.http;

import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/**
 * What a server said.
 *
 * @param status the HTTP status
 * @param contentType as it was sent, or null
 * @param body what came, up to the limit
 * @param bodyBytes how much came before it was given up
 * @param whole whether the body is all of it
 */
record HttpAnswer(
    int status, @Nullable String contentType, Buffer body, long bodyBytes, boolean whole) {
  boolean isSuccess() {
    return status >= 200 && status < 300;
  }
}
