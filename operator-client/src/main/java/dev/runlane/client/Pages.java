package dev.runlane.client;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.client.read.Fields;
import dev.runlane.storage.read.Page;
import java.util.function.Function;

/** Lists as they are answered. */
final class Pages {
  private Pages() {}

  static <T> Page<T> of(JsonNode body, Function<Fields, T> row) {
    Fields page = new Fields("the answer", body);
    return new Page<>(
        page.rows("data", row),
        page.textOrNull("nextCursor"),
        body.path("isCut").asBoolean());
  }
}
