package dev.runlane.cli.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runlane.connector.protocol.text.StorableJson;
import dev.runlane.connector.store.timeline.TimelineEvent;
import dev.runlane.json.JsonValues;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** An event's data for a person: what differs from line to line, and nothing that is said elsewhere. */
final class EventText {
  /** Shows numbers as they were written. */
  private static final JsonMapper JSON = JsonMapper.builder(JsonValues.STORED)
      .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
      .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
      .build();

  /** The same in every run of the command, or told by the summary. */
  private static final Set<String> LEFT_OUT = Set.of(
      "source",
      "stream_id",
      "interaction_id",
      "trigger_kind",
      "automation_mode",
      "persist_state",
      "checkpoint_mode",
      "state_commit_intent",
      "records_flushed",
      "collection_facts",
      "connector_diagnostics",
      "known_gap",
      "known_gaps",
      "known_gaps_summary");

  private EventText() {}

  /** Such as {@code cursor={"page":5} records_accepted=2}. */
  static String of(TimelineEvent event) {
    return tree(event.data().text()).properties().stream()
        .filter(member -> isTold(event, member))
        .map(member -> member.getKey() + "="
            + StorableJson.of(member.getValue().toString()).text())
        .collect(Collectors.joining(" "));
  }

  private static boolean isTold(TimelineEvent event, Map.Entry<String, JsonNode> member) {
    boolean repeated = member.getKey().equals("stream") && event.streamId() != null;
    return !repeated && !member.getValue().isNull() && !LEFT_OUT.contains(member.getKey());
  }

  static JsonNode tree(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("an event's data is JSON", impossible);
    }
  }
}
