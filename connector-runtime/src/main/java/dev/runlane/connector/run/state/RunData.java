package dev.runlane.connector.run.state;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.run.request.ConnectorRunRequest;
import dev.runlane.run.Json;
import org.jspecify.annotations.Nullable;

/** The data objects of events: members that are absent are left out, texts are cut and redacted. */
public final class RunData {
  /** Most characters of a message to the owner. */
  public static final int MAX_MESSAGE = 2_000;

  /** Most characters of a message that is a failure's. */
  public static final int MAX_FAILURE = 500;

  /** Most characters of a question's schema. */
  private static final int MAX_SCHEMA = 64 * 1024;

  private RunData() {}

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** An object that begins with where the run's data come from. */
  public static ObjectNode ofSource(ConnectorRunRequest request) {
    ObjectNode data = object();
    data.putObject("source")
        .put("kind", "connector")
        .put("id", request.active().run().connector().connectorId());
    return data;
  }

  public static void put(ObjectNode data, String name, @Nullable String value) {
    if (value != null) {
      data.put(name, value);
    }
  }

  public static void put(ObjectNode data, String name, @Nullable Json value) {
    if (value != null) {
      data.putRawValue(name, new RawValue(value.text()));
    }
  }

  /** A cursor; one that holds a submitted value is not shown. */
  public static void putCursor(ObjectNode data, Json cursor, Redaction redaction) {
    if (redaction.finds(cursor.text())) {
      data.putObject("cursor").put("redacted", true);
    } else {
      put(data, "cursor", cursor);
    }
  }

  /** A question's schema; one that is too large or holds a submitted value is left out, which is said. */
  public static void putSchema(ObjectNode data, @Nullable Json schema, Redaction redaction) {
    if (schema == null) {
      return;
    }
    if (schema.text().length() > MAX_SCHEMA || redaction.finds(schema.text())) {
      data.put("schema_omitted", true);
    } else {
      put(data, "schema", schema);
    }
  }
}
