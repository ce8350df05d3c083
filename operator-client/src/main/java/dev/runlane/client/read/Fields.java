package dev.runlane.client.read;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runlane.run.Actor;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An object of an answer. What is not there although this release needs it fails with {@code
 * AdapterContractViolation}: the server is no operator API, or of a release that is too far away.
 *
 * @param what it is, for failures
 * @param node the object
 */
public record Fields(String what, JsonNode node) {
  /** A text that must be there. */
  public String text(String name) {
    return present(name, textOrNull(name));
  }

  /** A text; null where there is none. */
  public @Nullable String textOrNull(String name) {
    return node.path(name).isTextual() ? node.path(name).asText() : null;
  }

  /** An instant that must be there. */
  public Instant instant(String name) {
    return present(name, instantOrNull(name));
  }

  /** An instant; null where there is none, or a mask in its place. */
  public @Nullable Instant instantOrNull(String name) {
    String text = textOrNull(name);
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeException malformed) {
      return null;
    }
  }

  /** A duration that must be there. */
  public Duration duration(String name) {
    return Durations.parse(text(name));
  }

  /** A whole number that must be there. */
  public long number(String name) {
    if (!node.path(name).canConvertToLong()) {
      throw missing(name);
    }
    return node.path(name).asLong();
  }

  /** A smaller one. */
  public int count(String name) {
    long number = number(name);
    if (number != (int) number) {
      throw missing(name);
    }
    return (int) number;
  }

  /** Whether it is so; false where nothing is said. */
  public boolean flag(String name) {
    return node.path(name).asBoolean(false);
  }

  /** Whether it is so; must be there. */
  public boolean bool(String name) {
    if (!node.path(name).isBoolean()) {
      throw missing(name);
    }
    return node.path(name).booleanValue();
  }

  /** Texts that must be there, if only as an empty array. */
  public List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    array(name).forEach(each -> texts.add(each.asText()));
    return texts;
  }

  /** Texts that an earlier release does not tell; empty where there are none. */
  public List<String> textsOrNone(String name) {
    return node.path(name).isMissingNode() ? List.of() : texts(name);
  }

  /** Texts by name; empty where there are none. */
  public Map<String, String> textsByName(String name) {
    return node.path(name).properties().stream()
        .collect(Collectors.toMap(
            Map.Entry::getKey,
            each -> each.getValue().asText(),
            (one, other) -> other,
            LinkedHashMap::new));
  }

  /** An object inside that must be there. */
  public Fields object(String name) {
    return objectOrNull(name).orElseThrow(() -> missing(name));
  }

  /** An object inside; empty where there is none, or a mask in its place. */
  public Optional<Fields> objectOrNull(String name) {
    return node.path(name).isObject()
        ? Optional.of(new Fields(what + "'s " + name, node.path(name)))
        : Optional.empty();
  }

  /** Rows that must be there, if only as an empty array. */
  public <T> List<T> rows(String name, Function<Fields, T> row) {
    List<T> rows = new ArrayList<>();
    array(name).forEach(each -> rows.add(row.apply(new Fields(what + "'s " + name, each))));
    return rows;
  }

  /** Who did it; of a kind that this release does not know, the system. */
  public Actor actor() {
    Fields actor = object("actor");
    String type = actor.text("type");
    String id = actor.textOrNull("id");
    return Arrays.stream(Actor.Type.values())
        .filter(each -> each.value().equals(type))
        .findFirst()
        .map(known -> new Actor(known, id))
        .orElseGet(() -> new Actor(Actor.Type.SYSTEM, id));
  }

  /** A value of a closed set. Fails where this release does not know it. */
  public <T> T known(String name, Function<String, Optional<T>> values) {
    String value = text(name);
    return values
        .apply(value)
        .orElseThrow(() -> RunlaneException.of(
            ErrorCode.ADAPTER_CONTRACT_VIOLATION,
            "%s has a %s that this release does not know: the server is of a later one",
            what,
            name));
  }

  private JsonNode array(String name) {
    if (!node.path(name).isArray()) {
      throw missing(name);
    }
    return node.path(name);
  }

  private <T> T present(String name, @Nullable T value) {
    if (value == null) {
      throw missing(name);
    }
    return value;
  }

  private RunlaneException missing(String name) {
    return RunlaneException.of(
        ErrorCode.ADAPTER_CONTRACT_VIOLATION,
        "the answer has no %s of %s: the server is no operator API, or of another release",
        name,
        what);
  }
}
