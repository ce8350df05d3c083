package dev.runlane.cli.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.json.JsonValues;
import dev.runlane.json.record.RunEventJson;
import dev.runlane.json.record.RunRecordJson;
import dev.runlane.run.Json;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.operate.RunExplanation;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.read.RunEventRecord;
import dev.runlane.storage.read.RunSummary;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Answers as JSON. Numbers stay as they are stored, however long they are. */
public final class JsonAnswers {
  private static final ObjectMapper JSON = JsonMapper.builder(JsonValues.STORED)
      .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
      .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
      .build();

  private JsonAnswers() {}

  /** An empty object. */
  public static ObjectNode object() {
    return JSON.createObjectNode();
  }

  /** A list and where it goes on: {@code data} and {@code nextCursor}, which is null at the end. */
  public static <T> ObjectNode page(Page<T> page, Function<T, ObjectNode> row) {
    ObjectNode answer = object();
    ArrayNode data = answer.putArray("data");
    page.data().forEach(each -> data.add(row.apply(each)));
    return answer.put("nextCursor", page.nextCursor());
  }

  /** A run of a list. */
  public static ObjectNode summary(RunSummary run) {
    return tree(RunRecordJson.write(run));
  }

  /** A run, without the token of its lease. */
  public static ObjectNode run(RunRecord run) {
    return withoutToken(tree(RunRecordJson.write(run)));
  }

  /** A run with its tags, where it has some. */
  public static ObjectNode tagged(ObjectNode run, Map<String, String> tags) {
    if (!tags.isEmpty()) {
      ObjectNode told = run.putObject("tags");
      new TreeMap<>(tags).forEach(told::put);
    }
    return run;
  }

  /** An event, without the token of a lease. */
  public static ObjectNode event(RunEventRecord row) {
    return withoutToken(tree(RunEventJson.write(row)));
  }

  /** Who has the token of a lease owns its run: no answer shows it. */
  private static ObjectNode withoutToken(ObjectNode answer) {
    if (answer.get("lease") instanceof ObjectNode lease) {
      lease.remove("token");
    }
    return answer;
  }

  /** Why a run is where it is. */
  public static ObjectNode explanation(RunExplanation explanation) {
    ObjectNode answer = object()
        .put("runId", explanation.run().id())
        .put("status", explanation.run().status().value())
        .put("text", explanation.text());
    ArrayNode reasons = answer.putArray("reasons");
    explanation.reasons().forEach(reason -> {
      ObjectNode each =
          reasons.addObject().put("code", reason.code().value()).put("text", reason.text());
      ObjectNode details = each.putObject("details");
      reason.details().entrySet().stream()
          .sorted(Map.Entry.comparingByKey())
          .forEach(entry -> details.put(entry.getKey(), entry.getValue()));
    });
    return answer;
  }

  /** An object that is stored as JSON. */
  public static ObjectNode tree(Json json) {
    return (ObjectNode) value(json);
  }

  /** A value of any kind that is stored as JSON. */
  public static JsonNode value(Json json) {
    try {
      return JSON.readTree(json.text());
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("what was written as JSON is JSON", impossible);
    }
  }

  /** A value for people, a field a line. */
  public static String indented(Json json) {
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(JSON.readTree(json.text()));
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("what is stored as JSON is JSON", impossible);
    }
  }
}
