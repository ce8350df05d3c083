package dev.runlane.cli.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.connector.store.timeline.TimelineEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * What a connector asks.
 *
 * @param id which question this is
 * @param message what the owner is to do
 * @param values the names of what is to be submitted; none for something done by hand
 */
record Question(String id, String message, List<String> values) {
  private static final ObjectMapper JSON = new ObjectMapper();

  Question {
    values = List.copyOf(values);
  }

  /** The question that a {@code run.interaction_required} event tells. */
  static Question of(TimelineEvent required) {
    JsonNode data = tree(required.data().text());
    String id = required.interactionId();
    return new Question(
        id == null ? data.path("interaction_id").asText() : id,
        data.path("message").asText(),
        values(data));
  }

  private static List<String> values(JsonNode data) {
    List<String> names = new ArrayList<>();
    data.path("schema").path("properties").fieldNames().forEachRemaining(names::add);
    if (!names.isEmpty()) {
      return names;
    }
    return switch (data.path("kind").asText()) {
      case "credentials" -> List.of("username", "password");
      case "otp" -> List.of("code");
      default -> List.of();
    };
  }

  private static JsonNode tree(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("an event's data is JSON", impossible);
    }
  }
}
