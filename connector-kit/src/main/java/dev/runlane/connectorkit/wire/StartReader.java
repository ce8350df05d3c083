package dev.runlane.connectorkit.wire;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connectorkit.message.CollectionMode;
import dev.runlane.connectorkit.message.InvalidStart;
import dev.runlane.connectorkit.message.Start;
import dev.runlane.connectorkit.message.StreamScope;
import dev.runlane.connectorkit.message.TimeRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the START line. Fails with {@link InvalidStart}; members it does not know are passed over. */
public final class StartReader {

  private final ObjectMapper mapper;

  public StartReader(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  public Start read(byte[] line) {
    JsonNode start = object(line);
    if (!"START".equals(start.path("type").textValue())) {
      throw InvalidStart.because("the first line is no START");
    }
    return new Start(
        text(start, "run_id"),
        CollectionMode.of(start.path("collection_mode").asText("incremental")),
        streams(start.path("scope").path("streams")),
        state(start.path("state")),
        bindings(start.path("bindings")));
  }

  private JsonNode object(byte[] line) {
    try {
      JsonNode tree = mapper.readTree(line);
      if (tree != null && tree.isObject()) {
        return tree;
      }
    } catch (JsonProcessingException | NumberFormatException notJson) {
      // What Jackson says quotes the line, which may hold private state.
    } catch (IOException impossible) {
      throw new AssertionError("reading bytes cannot fail otherwise", impossible);
    }
    throw InvalidStart.because("the first line is no JSON object");
  }

  private static List<StreamScope> streams(JsonNode given) {
    List<StreamScope> streams = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonNode stream : given) {
      String name = text(stream, "name");
      if (!names.add(name)) {
        throw InvalidStart.because("a stream is named twice");
      }
      streams.add(new StreamScope(
          name,
          texts(stream, "resources"),
          texts(stream, "fields"),
          timeRange(stream.path("time_range"))));
    }
    if (streams.isEmpty()) {
      throw InvalidStart.because("scope.streams is empty");
    }
    return streams;
  }

  private static @Nullable TimeRange timeRange(JsonNode given) {
    return given.isObject()
        ? new TimeRange(given.path("since").textValue(), given.path("until").textValue())
        : null;
  }

  private static @Nullable Map<String, Optional<ObjectNode>> state(JsonNode given) {
    if (!given.isObject()) {
      return null;
    }
    Map<String, Optional<ObjectNode>> state = new HashMap<>();
    given
        .properties()
        .forEach(each -> state.put(
            each.getKey(),
            each.getValue() instanceof ObjectNode cursor ? Optional.of(cursor) : Optional.empty()));
    return state;
  }

  private static Set<String> bindings(JsonNode given) {
    Set<String> names = new HashSet<>();
    given.fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static String text(JsonNode parent, String name) {
    String value = parent.path(name).textValue();
    if (value == null || value.isBlank()) {
      throw InvalidStart.because(name + " is missing");
    }
    return value;
  }

  private static @Nullable List<String> texts(JsonNode parent, String name) {
    JsonNode given = parent.path(name);
    if (!given.isArray()) {
      return null;
    }
    List<String> texts = new ArrayList<>();
    given.forEach(each -> texts.add(each.asText()));
    return texts;
  }
}
