package dev.runlane.connectorkit.message;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** What came of an {@link Interaction}. Its values appear in no {@code toString}. */
public sealed interface Answer {

  /** The owner's data. Fails with {@link ConnectorFailure} unless the owner answered. */
  Success require();

  /** The owner answered. Compared by identity: what it holds is secret. */
  final class Success implements Answer {

    private final ObjectNode data;

    public Success(JsonNode data) {
      this.data = data instanceof ObjectNode given ? given : JsonNodeFactory.instance.objectNode();
    }

    /** A value as text; empty when the answer has none of that name, or an empty one. */
    public Optional<String> value(String name) {
      return Optional.of(data.path(name).asText("")).filter(value -> !value.isEmpty());
    }

    /** A value as text. Fails with {@link ConnectorFailure} when the answer has none of that name. */
    public String required(String name) {
      return value(name)
          .orElseThrow(() -> ConnectorFailure.permanent(
              "answer_incomplete",
              "the answer has no value named " + name,
              RecoveryAction.MANUAL_ACTION_REQUIRED));
    }

    /** A copy of everything that was submitted. */
    public ObjectNode data() {
      return data.deepCopy();
    }

    @Override
    public Success require() {
      return this;
    }

    @Override
    public String toString() {
      return "answered, " + data.size() + " values";
    }
  }

  /** The owner declined, or cannot be asked any more. */
  record Cancelled() implements Answer {
    @Override
    public Success require() {
      throw ConnectorFailure.permanent(
          "interaction_cancelled",
          "the question was not answered: it was cancelled",
          RecoveryAction.MANUAL_ACTION_REQUIRED);
    }
  }

  /** Nobody answered in time. */
  record TimedOut() implements Answer {
    @Override
    public Success require() {
      throw ConnectorFailure.permanent(
          "interaction_timeout",
          "the question was not answered in time",
          RecoveryAction.MANUAL_ACTION_REQUIRED);
    }
  }
}
