package dev.runlane.connector.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.json.ExactTrees;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads what callers send. Messages name members and never quote values, which may be secret. */
final class HttpBodies {
  private static final int MOST_DEPTH = 64;
  /** Cursors keep their numbers. */
  private static final JsonMapper JSON = ExactTrees.mapper(JsonFactory.builder()
      .streamReadConstraints(
          StreamReadConstraints.builder().maxNestingDepth(MOST_DEPTH).build())
      .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
      .build());

  private HttpBodies() {}

  /** The body, an object; an empty one counts as {@code {}}. Members not among {@code known} are refused. */
  static ObjectNode object(RoutingContext request, Set<String> known) {
    Buffer body = request.body().buffer();
    if (body == null || body.length() == 0) {
      return JsonNodeFactory.instance.objectNode();
    }
    ObjectNode object = parse(body);
    object.fieldNames().forEachRemaining(name -> {
      if (!known.contains(name)) {
        throw refusal("body", "the body has a member that is not known here");
      }
    });
    return object;
  }

  /** An object of lists of texts; missing counts as empty. */
  static Map<String, List<String>> textLists(ObjectNode body, String member) {
    Map<String, List<String>> lists = new HashMap<>();
    JsonNode object = body.path(member);
    if (!object.isMissingNode() && !object.isObject()) {
      throw refusal(member, member + " must be an object");
    }
    object.properties().forEach(entry -> {
      List<String> texts = new ArrayList<>();
      boolean isList = entry.getValue().isArray();
      for (JsonNode item : entry.getValue()) {
        isList &= item.isTextual();
        texts.add(item.asText());
      }
      if (!isList || texts.isEmpty()) {
        throw refusal(member, member + " must hold lists of texts");
      }
      lists.put(entry.getKey(), texts);
    });
    return lists;
  }

  /** A text that must be there. */
  static String text(ObjectNode body, String member) {
    JsonNode value = body.path(member);
    if (!value.isTextual() || value.textValue().isBlank()) {
      throw refusal(member, member + " must be a text that is not blank");
    }
    return value.textValue();
  }

  /** A whole number of the query, or {@code otherwise} where there is none. */
  static int number(RoutingContext request, String name, int otherwise, int most) {
    List<String> values = request.queryParam(name);
    if (values.isEmpty()) {
      return otherwise;
    }
    try {
      int number = Integer.parseInt(values.get(0));
      if (number >= 1 && number <= most) {
        return number;
      }
    } catch (NumberFormatException notANumber) {
      // reported below
    }
    throw refusal(name, name + " must be a whole number from 1 to " + most);
  }

  static HttpRefusal refusal(String param, String message) {
    return new HttpRefusal(HttpError.invalid(param, message));
  }

  private static ObjectNode parse(Buffer body) {
    try {
      if (JSON.readTree(body.getBytes()) instanceof ObjectNode object) {
        return object;
      }
    } catch (
        IOException malformed) { // bytes that are no text fail otherwise than text that is no JSON
      throw refusal("body", "the body is not valid JSON");
    }
    throw refusal("body", "the body must be a JSON object");
  }
}
