package dev.runlane.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.console.ConsoleFixture.Answered;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * Asks for every operation of the document with values that the document allows, and with some that it does not. Every
 * answer comes, is one that the document knows, and is no fault of the console. The same seed asks the same.
 */
final class RequestFuzzer {
  private static final List<String> ODD_TEXTS = List.of(
      "",
      " ",
      "\u0000",
      "a\u0000b",
      "\ud800",
      "\ud83d\ude00",
      "%",
      "%00",
      "../..",
      "a/b",
      "*",
      "null",
      "' or 1=1 --",
      "-1",
      "1e400",
      "\u202e",
      "x".repeat(513),
      "x".repeat(5_000),
      "NaN",
      "9999999999",
      "+1000000000-12-31T23:59:59.999999999Z",
      "-9999-01-01T00:00:00Z",
      "-1000000000-01-01T00:00:00Z",
      "0000-00-00T00:00:00Z",
      "1h",
      "-1s",
      "99999999999999999999h",
      "active");

  private static final List<String> HEADERS = List.of(
      "",
      "none",
      "2026-05-01T12:00:00Z",
      "2026-99-01T12:00:00Z",
      "-1000000000-01-01T00:00:00Z",
      "9999-12-31T23:59:59Z");

  private static final int MOST_ROUNDS = 100;

  private final ConsoleFixture console;
  private final JsonObject document;
  private final long seed;
  private final Random random;
  private final List<String> ids =
      new ArrayList<>(List.of("none", "mail", "echo", "fails", "checked"));
  private final Map<Integer, Integer> statuses = new HashMap<>();

  RequestFuzzer(ConsoleFixture console, long seed) {
    this.console = console;
    this.seed = seed;
    random = new Random(seed);
    document = console.get("/api/openapi.json").json();
    for (String task : new String[] {"echo", "fails"}) {
      ids.add(console.trigger(task, new JsonObject()));
    }
  }

  /** How often each status came back; on a slow machine, it goes on until each of these did. */
  Map<Integer, Integer> run(Duration time, Set<Integer> wanted) {
    long end = System.nanoTime() + time.toNanos();
    for (int round = 0; isWanted(round, end, wanted); round++) {
      for (String path : document.getJsonObject("paths").fieldNames()) {
        JsonObject item = document.getJsonObject("paths").getJsonObject(path);
        for (String method : item.fieldNames()) {
          if (!method.equals("parameters") && isWanted(round, end, wanted)) {
            ask(method.toUpperCase(java.util.Locale.ROOT), path, item, round);
          }
        }
      }
    }
    return statuses;
  }

  private boolean isWanted(int round, long end, Set<Integer> wanted) {
    return System.nanoTime() < end
        || (round < MOST_ROUNDS && !statuses.keySet().containsAll(wanted));
  }

  private void ask(String method, String path, JsonObject item, int round) {
    JsonObject operation = item.getJsonObject(method.toLowerCase(java.util.Locale.ROOT));
    String target = path;
    StringBuilder query = new StringBuilder();
    Map<String, String> headers = new HashMap<>();
    JsonArray parameters = new JsonArray()
        .addAll(item.getJsonArray("parameters", new JsonArray()))
        .addAll(operation.getJsonArray("parameters", new JsonArray()));
    for (Object each : parameters) {
      JsonObject parameter = resolved((JsonObject) each);
      JsonObject schema = resolved(parameter.getJsonObject("schema"));
      if (parameter.getString("in").equals("path")) {
        String id = random.nextInt(5) == 0 ? odd() : pick(ids);
        target = target.replace(
            "{" + parameter.getString("name") + "}", encoded(id.isEmpty() ? "none" : id));
      } else if (parameter.getString("in").equals("header")) {
        headers.put(parameter.getString("name"), pick(HEADERS));
      } else if (random.nextInt(3) == 0) {
        List<?> values = value(schema, 0) instanceof JsonArray all
            ? all.getList()
            : List.of(String.valueOf(value(schema, 0)));
        values.forEach(value -> query
            .append(query.isEmpty() ? '?' : '&')
            .append(parameter.getString("name"))
            .append('=')
            .append(encoded(random.nextInt(6) == 0 ? odd() : String.valueOf(value))));
      }
    }
    String body = null;
    if (operation.containsKey("requestBody")) {
      JsonObject schema = resolved(operation.getJsonObject("requestBody"))
          .getJsonObject("content")
          .getJsonObject("application/json")
          .getJsonObject("schema");
      body = written(value(schema, 0));
      if (random.nextInt(12) == 0) {
        body = body.substring(0, random.nextInt(body.length() + 1));
      }
      headers.put("content-type", "application/json");
    }
    String said = "seed " + seed + ", round " + round + ": " + method + " " + target + query
        + (body == null ? "" : " " + body.substring(0, Math.min(body.length(), 500)));
    try {
      Answered answered = console.send(method, target + query, body, headers);
      statuses.merge(answered.status(), 1, Integer::sum);
      assertThat(answered.status()).as(said).isNotEqualTo(500);
    } catch (AssertionError | RuntimeException failure) {
      throw new AssertionError(said, failure);
    }
  }

  private Object value(JsonObject unresolved, int depth) {
    JsonObject schema = resolved(unresolved);
    if (random.nextInt(12) == 0) {
      return anything(depth);
    }
    if (schema.containsKey("enum")) {
      return pick(schema.getJsonArray("enum").stream().toList());
    }
    return switch (schema.getString("type", "")) {
      case "object" -> object(schema, depth);
      case "array" -> {
        JsonArray array = new JsonArray();
        for (int i = random.nextInt(3); i >= 0; i--) {
          array.add(value(schema.getJsonObject("items"), depth + 1));
        }
        yield array;
      }
      case "integer" -> schema.getInteger("minimum", 0) + random.nextInt(200);
      case "boolean" -> random.nextBoolean();
      case "string" ->
        schema.containsKey("pattern")
            ? "202" + random.nextInt(10) + "-0" + (1 + random.nextInt(9)) + "-01T00:00:00Z"
            : random.nextInt(3) == 0 ? odd() : pick(List.of("1h", "mail", "some text", pick(ids)));
      default -> anything(depth);
    };
  }

  private JsonObject object(JsonObject schema, int depth) {
    JsonObject object = new JsonObject();
    JsonObject properties = schema.getJsonObject("properties", new JsonObject());
    for (String name : properties.fieldNames()) {
      boolean isRequired = schema.getJsonArray("required", new JsonArray()).contains(name);
      if (isRequired ? random.nextInt(20) > 0 : random.nextInt(4) == 0) {
        object.put(name, value(properties.getJsonObject(name), depth + 1));
      }
    }
    if (schema.getValue("additionalProperties") instanceof JsonObject other) {
      object.put(random.nextBoolean() ? odd() : "name", value(other, depth + 1));
    } else if (random.nextInt(20) == 0) {
      object.put(odd(), anything(depth));
    }
    return object;
  }

  private Object anything(int depth) {
    return switch (random.nextInt(9)) {
      case 0 -> odd();
      case 1 -> Long.MAX_VALUE;
      case 2 -> -1;
      case 3 -> 1e308;
      case 4 -> new JsonObject();
      case 5 -> new JsonArray();
      case 6 -> random.nextBoolean();
      case 7 -> depth > 60 ? 0 : new JsonArray().add(anything(depth + 1));
      default -> depth > 60 ? 0 : new JsonObject().put(odd(), anything(depth + 1));
    };
  }

  private JsonObject resolved(JsonObject schema) {
    JsonObject found = schema;
    while (found.containsKey("$ref")) {
      JsonObject at = document;
      for (String name : found.getString("$ref").substring(2).split("/")) {
        at = at.getJsonObject(name);
      }
      found = at;
    }
    return found;
  }

  private String odd() {
    return pick(ODD_TEXTS);
  }

  private <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private static String written(Object value) {
    return value instanceof JsonObject || value instanceof JsonArray
        ? value.toString()
        : io.vertx.core.json.Json.encode(value);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
