package dev.runlane.console.contract;

import dev.runlane.json.VertxJson;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.MediaType;
import io.vertx.openapi.contract.OpenAPIContract;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * The OpenAPI document: one file for what is shared and one for each resource, put together when it is loaded. All
 * consoles of a process have it in common: to hold it to its specification is most of what the start of one takes.
 */
public final class ApiDocument {
  private static final List<String> FILES = List.of(
      "openapi.yaml",
      "runs.yaml",
      "schedules.yaml",
      "operator.yaml",
      "alerts.yaml",
      "bulk.yaml",
      "stream.yaml",
      "jobs.yaml");

  /** What was loaded last: as long as a console has it, or memory is plenty. */
  private static volatile SoftReference<@Nullable ApiDocument> loaded = new SoftReference<>(null);

  private final JsonObject json;
  private final List<ApiOperation> operations;

  private ApiDocument(JsonObject json, OpenAPIContract contract) {
    this.json = json;
    SettledSchemas schemas = new SettledSchemas(contract.getSchemaRepository());
    operations = contract.operations().stream()
        .map(operation -> new ApiOperation(operation, schemas))
        .sorted((one, other) -> one.id().compareTo(other.id()))
        .toList();
  }

  /**
   * Reads the document and holds it to the OpenAPI specification, unless that was done before. Fails when it is
   * malformed, and with {@code ConfigurationInvalid} where the JVM's language has another capital i.
   */
  public static Future<ApiDocument> load(Vertx vertx) {
    if (!"i"
        .toUpperCase(Locale.getDefault())
        .equals("I")) { // vertx-openapi 5.0.8 writes type names so
      return Future.failedFuture(RunlaneException.configurationInvalid(
          "the API cannot be served where the language of the JVM is %s: set -Duser.language=en",
          Locale.getDefault().toLanguageTag()));
    }
    ApiDocument known = loaded.get();
    return known == null ? loadAnew(vertx) : Future.succeededFuture(known);
  }

  private static Future<ApiDocument> loadAnew(Vertx vertx) {
    return vertx
        .executeBlocking(ApiDocument::read)
        .compose(json -> contract(vertx, json).map(contract -> new ApiDocument(json, contract)))
        .onSuccess(document -> loaded = new SoftReference<>(document))
        .recover(failure -> Future.failedFuture(
            RunlaneException.invariantViolation("the OpenAPI document cannot be used")
                .causedBy(failure)));
  }

  /** What vertx-openapi makes of the document, which stays as it is. */
  static Future<OpenAPIContract> contract(Vertx vertx, JsonObject document) {
    return OpenAPIContract.from(SpecificationFiles.of(vertx), checkable(document));
  }

  /** The document as it is served. */
  public Buffer served() {
    return Buffer.buffer(VertxJson.of(json).text());
  }

  /** The document. */
  public JsonObject json() {
    return json.copy();
  }

  /** All operations, by id. */
  public List<ApiOperation> operations() {
    return operations;
  }

  private static JsonObject read() throws IOException {
    Map<String, Object> whole = new LinkedHashMap<>();
    for (String file : FILES) {
      try (InputStream in = ApiDocument.class.getResourceAsStream(file)) {
        if (in == null) {
          throw new IOException(file + " is missing");
        }
        Map<String, Object> part = new Yaml(new SafeConstructor(new LoaderOptions())).load(in);
        merge(whole, part, file);
      }
    }
    return new JsonObject(jsonOf(whole));
  }

  /** Objects of several files become one; nothing else may stand in two. */
  @SuppressWarnings("unchecked")
  private static void merge(Map<String, Object> into, Map<String, Object> part, String file) {
    part.forEach((key, value) -> {
      Object present = into.putIfAbsent(key, value);
      if (present instanceof Map && value instanceof Map) {
        merge((Map<String, Object>) present, (Map<String, Object>) value, file);
      } else if (present != null) {
        throw RunlaneException.invariantViolation("%s defines %s a second time", file, key);
      }
    });
  }

  private static Map<String, Object> jsonOf(Map<?, ?> yaml) {
    Map<String, Object> json = new LinkedHashMap<>();
    yaml.forEach((key, value) -> json.put(String.valueOf(key), valueOf(value)));
    return json;
  }

  private static Object valueOf(Object yaml) {
    if (yaml instanceof Map<?, ?> map) {
      return new JsonObject(jsonOf(map));
    }
    if (yaml instanceof List<?> list) {
      List<Object> values = new ArrayList<>();
      list.forEach(value -> values.add(valueOf(value)));
      return new JsonArray(values);
    }
    return yaml;
  }

  /** Without answers in formats that vertx-openapi does not know, such as CSV and event streams. */
  private static JsonObject checkable(JsonObject document) {
    JsonObject copy = document.copy();
    copy.getJsonObject("paths").forEach(path -> ((JsonObject) path.getValue()).forEach(each -> {
      if (each.getValue() instanceof JsonObject operation) {
        operation
            .getJsonObject("responses", new JsonObject())
            .forEach(response -> known((JsonObject) response.getValue()));
      }
    }));
    return copy;
  }

  private static void known(JsonObject response) {
    JsonObject content = response.getJsonObject("content");
    if (content != null) {
      List.copyOf(content.fieldNames()).stream()
          .filter(type -> !MediaType.isMediaTypeSupported(type))
          .forEach(content::remove);
    }
  }
}
