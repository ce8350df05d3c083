package dev.runlane.connector.store.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.connector.protocol.message.RecordMessage;
import dev.runlane.connector.protocol.text.JsonTrees;
import dev.runlane.connector.store.record.StagedCursor;
import dev.runlane.run.Json;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Bodies of requests and answers. */
final class JsonBodies {
  private JsonBodies() {}

  /** The object that an answer holds, or empty when it holds something else or was too long. */
  static Optional<JsonNode> object(HttpAnswer answer) {
    if (!answer.whole()) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(JsonTrees.STORED.readTree(answer.body().getBytes()))
          .filter(JsonNode::isObject);
    } catch (IOException malformed) {
      return Optional.empty();
    }
  }

  static Json json(JsonNode value) {
    try {
      return Json.ofChecked(JsonTrees.STORED.writeValueAsString(value));
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("a tree that was read can be written", impossible);
    }
  }

  /** One line a record. White space that would end a line becomes a blank: in JSON they mean the same there. */
  static Buffer lines(List<RecordMessage> records) {
    StringBuilder lines = new StringBuilder(records.size() * 256);
    for (RecordMessage record : records) {
      lines.append("{\"data\":").append(record.data() == null ? "null" : oneLine(record.data()));
      lines.append(",\"emitted_at\":");
      quote(record.emittedAt(), lines);
      lines.append(",\"key\":");
      if (record.compound()) {
        lines.append(record.key());
      } else {
        quote(record.key(), lines);
      }
      lines.append(record.deletion() ? ",\"op\":\"delete\"}\n" : "}\n");
    }
    return Buffer.buffer(lines.toString());
  }

  static Buffer state(StagedCursor cursor) {
    StringBuilder body = new StringBuilder("{\"state\":{");
    quote(cursor.stream(), body);
    return Buffer.buffer(
        body.append(':').append(cursor.cursor().text()).append("}}").toString());
  }

  private static String oneLine(Json data) {
    return data.text().indexOf('\n') < 0 ? data.text() : data.text().replace('\n', ' ');
  }

  private static void quote(String text, StringBuilder into) {
    into.append('"');
    JsonStringEncoder.getInstance().quoteAsString(text, into);
    into.append('"');
  }
}
