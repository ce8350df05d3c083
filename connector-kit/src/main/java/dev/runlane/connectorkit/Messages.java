package dev.runlane.connectorkit;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The lines that a connector sends. */
final class Messages {

  private static final int MAX_ERROR_LENGTH = 500;
  private static final int INITIAL_BYTES = 256;

  private final ObjectMapper mapper;
  private final Clock clock;
  private final Submitted submitted;

  Messages(ObjectMapper mapper, Clock clock, Submitted submitted) {
    this.mapper = mapper;
    this.clock = clock;
    this.submitted = submitted;
  }

  byte[] record(ConnectorRecord record) {
    return line("RECORD", json -> {
      json.writeStringField("stream", record.stream());
      json.writeFieldName("key");
      key(json, record.key());
      if (record.data() != null) {
        json.writeFieldName("data");
        json.writeTree(record.data());
      }
      String moment =
          String.valueOf(record.emittedAt() == null ? clock.instant() : record.emittedAt());
      json.writeStringField("emitted_at", moment);
      if (record.deleted()) {
        json.writeStringField("op", "delete");
      }
    });
  }

  byte[] state(String stream, @Nullable ObjectNode cursor) {
    return line("STATE", json -> {
      json.writeStringField("stream", stream);
      json.writeFieldName("cursor");
      json.writeTree(cursor);
    });
  }

  byte[] progress(Progress progress) {
    return line("PROGRESS", json -> {
      optional(json, "stream", progress.stream());
      json.writeStringField("message", submitted.redact(progress.message()));
      if (progress.count() != null) {
        json.writeNumberField("count", progress.count());
      }
      if (progress.total() != null) {
        json.writeNumberField("total", progress.total());
      }
    });
  }

  byte[] skip(Skip skip) {
    return line("SKIP_RESULT", json -> {
      optional(json, "stream", skip.stream());
      json.writeStringField("reason", skip.reason());
      json.writeStringField("message", submitted.redact(skip.message()));
      if (skip.recovery() != null) {
        json.writeStringField("recovery_hint", skip.recovery().wireName());
      }
      if (!skip.resourceIds().isEmpty()) {
        texts(json, "resource_ids", skip.resourceIds());
      }
      if (skip.timeRange() != null) {
        json.writeObjectFieldStart("time_range");
        optional(json, "since", skip.timeRange().since());
        optional(json, "until", skip.timeRange().until());
        json.writeEndObject();
      }
      if (skip.diagnostics() != null) {
        json.writeFieldName("diagnostics");
        json.writeTree(skip.diagnostics());
      }
    });
  }

  byte[] interaction(String requestId, Interaction interaction) {
    return line("INTERACTION", json -> {
      json.writeStringField("request_id", requestId);
      json.writeStringField("kind", interaction.kind().wireName());
      json.writeStringField("message", submitted.redact(interaction.message()));
      optional(json, "stream", interaction.stream());
      if (interaction.timeout() != null) {
        long seconds = interaction.timeout().plusNanos(999_999_999).toSeconds();
        json.writeNumberField("timeout_seconds", seconds);
      }
      if (interaction.schema() != null) {
        json.writeFieldName("schema");
        json.writeTree(interaction.schema());
      }
    });
  }

  byte[] done(Ending ending, long records) {
    return line("DONE", json -> {
      json.writeStringField("status", ending.status());
      json.writeNumberField("records_emitted", records);
      if (ending.failure() != null) {
        error(json, ending.failure());
      }
    });
  }

  private void error(JsonGenerator json, ConnectorFailure failure) throws IOException {
    String message = submitted.redact(String.valueOf(failure.getMessage()));
    json.writeObjectFieldStart("error");
    json.writeStringField("code", failure.code());
    json.writeStringField(
        "message", message.substring(0, Math.min(MAX_ERROR_LENGTH, message.length())));
    if (failure.retryable() != null) {
      json.writeBooleanField("retryable", failure.retryable());
    }
    if (failure.recoveryAction() != null) {
      json.writeStringField("recovery_hint", failure.recoveryAction().wireName());
    }
    json.writeEndObject();
  }

  private static void key(JsonGenerator json, RecordKey key) throws IOException {
    if (key.isCompound()) {
      json.writeArray(key.parts().toArray(String[]::new), 0, key.parts().size());
    } else {
      json.writeString(key.parts().get(0));
    }
  }

  private static void texts(JsonGenerator json, String name, List<String> texts)
      throws IOException {
    json.writeFieldName(name);
    json.writeArray(texts.toArray(String[]::new), 0, texts.size());
  }

  private static void optional(JsonGenerator json, String name, @Nullable String value)
      throws IOException {
    if (value != null) {
      json.writeStringField(name, value);
    }
  }

  private byte[] line(String type, Members members) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(INITIAL_BYTES);
    try (JsonGenerator json = mapper.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("type", type);
      members.writeTo(json);
      json.writeEndObject();
    } catch (IOException notWritable) {
      throw new UncheckedIOException("a message cannot be written as JSON", notWritable);
    }
    return bytes.toByteArray();
  }

  private interface Members {
    void writeTo(JsonGenerator json) throws IOException;
  }
}
