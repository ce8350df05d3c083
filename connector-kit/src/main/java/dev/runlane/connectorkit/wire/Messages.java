package dev.runlane.connectorkit.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connectorkit.message.Assistance;
import dev.runlane.connectorkit.message.ConnectorFailure;
import dev.runlane.connectorkit.message.ConnectorRecord;
import dev.runlane.connectorkit.message.DetailCoverage;
import dev.runlane.connectorkit.message.DetailGap;
import dev.runlane.connectorkit.message.Interaction;
import dev.runlane.connectorkit.message.Progress;
import dev.runlane.connectorkit.message.RecordKey;
import dev.runlane.connectorkit.message.Skip;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The lines that a connector sends. */
public final class Messages {

  private static final int MAX_ERROR_LENGTH = 500;
  private static final int INITIAL_BYTES = 256;

  private final ObjectMapper mapper;
  private final Clock clock;
  private final Submitted submitted;

  public Messages(ObjectMapper mapper, Clock clock, Submitted submitted) {
    this.mapper = mapper;
    this.clock = clock;
    this.submitted = submitted;
  }

  public byte[] record(ConnectorRecord record) {
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

  public byte[] state(String stream, @Nullable ObjectNode cursor) {
    return line("STATE", json -> {
      json.writeStringField("stream", stream);
      json.writeFieldName("cursor");
      json.writeTree(cursor);
    });
  }

  public byte[] progress(Progress progress) {
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

  public byte[] skip(Skip skip) {
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

  public byte[] detailGap(DetailGap gap) {
    return line("DETAIL_GAP", json -> {
      json.writeStringField("stream", gap.stream());
      optional(json, "parent_stream", gap.parentStream());
      optionalKey(json, gap.recordKey());
      json.writeStringField("reason", submitted.redact(gap.reason()));
      if (gap.retryable() != null) {
        json.writeBooleanField("retryable", gap.retryable());
      }
      optional(json, "gap_id", gap.gapId());
      if (gap.locator() != null) {
        json.writeFieldName("detail_locator");
        json.writeTree(gap.locator());
      }
    });
  }

  public byte[] detailRecovered(String stream, RecordKey key, @Nullable String gapId) {
    return line("DETAIL_GAP_RECOVERED", json -> {
      json.writeStringField("stream", stream);
      optionalKey(json, key);
      optional(json, "gap_id", gapId);
    });
  }

  public byte[] detailCoverage(DetailCoverage coverage) {
    return line("DETAIL_COVERAGE", json -> {
      json.writeBooleanField("reference_only", true);
      json.writeStringField("stream", coverage.stream());
      json.writeStringField("state_stream", coverage.stateStream());
      keys(json, "required_keys", coverage.required());
      keys(json, "hydrated_keys", coverage.hydrated());
      keys(json, "gap_keys", coverage.gaps());
      keys(json, "optional_skip_keys", coverage.optional());
      if (coverage.considered() != null) {
        json.writeNumberField("considered", coverage.considered());
      }
      if (coverage.covered() != null) {
        json.writeNumberField("covered", coverage.covered());
      }
    });
  }

  public byte[] assistance(String requestId, Assistance assistance) {
    return line("ASSISTANCE", json -> {
      json.writeStringField("assistance_request_id", requestId);
      json.writeStringField("progress_posture", assistance.posture().wireName());
      json.writeStringField("owner_action", assistance.action().wireName());
      json.writeStringField("response_contract", "none");
      json.writeStringField("sensitivity", "none");
      json.writeStringField("message", submitted.redact(assistance.message()));
      optional(json, "stream", assistance.stream());
    });
  }

  public byte[] assistanceEnded(String requestId, Assistance.End end) {
    return line("ASSISTANCE_STATUS", json -> {
      json.writeStringField("assistance_request_id", requestId);
      json.writeStringField("status", end.wireName());
    });
  }

  public byte[] done(Ending ending, long records) {
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

  private static void optionalKey(JsonGenerator json, @Nullable RecordKey key) throws IOException {
    if (key != null) {
      json.writeStringField("record_key", key.canonical());
    }
  }

  private static void keys(JsonGenerator json, String name, List<RecordKey> keys)
      throws IOException {
    texts(json, name, keys.stream().map(RecordKey::canonical).toList());
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
