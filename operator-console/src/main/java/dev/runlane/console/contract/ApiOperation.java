package dev.runlane.console.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.access.Role;
import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.console.answer.JsonTexts;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import io.vertx.json.schema.common.dsl.SchemaType;
import io.vertx.openapi.contract.Location;
import io.vertx.openapi.contract.MediaType;
import io.vertx.openapi.contract.Operation;
import io.vertx.openapi.contract.Parameter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An operation of the document. Parameters are read here and not by vertx-openapi, whose 5.0.8 decodes values of the
 * query twice and takes a text such as {@code 1.5} for a number.
 *
 * <p>Any thread may use it, and several at once: the consoles of a process share its document.
 */
public final class ApiOperation {
  private static final String JSON = "application/json";

  private final Operation operation;
  private final Role role;
  private final Map<String, Value> pathValues = new LinkedHashMap<>();
  private final Map<String, Value> queryValues = new LinkedHashMap<>();
  private final Map<String, Value> headerValues = new LinkedHashMap<>();
  private final @Nullable Validator body;
  private final boolean isBodyNeeded;

  ApiOperation(Operation operation, SettledSchemas schemas) {
    this.operation = operation;
    role = Role.ofValue(operation.getOpenAPIModel().getString("x-runlane-role"));
    for (Parameter parameter : operation.getParameters()) {
      valuesOf(parameter.getIn())
          .put(parameter.getName(), new Value(parameter, schemas.validator(parameter.getSchema())));
    }
    MediaType type = operation.getRequestBody() == null
        ? null
        : operation.getRequestBody().getContent().get(JSON);
    body = type == null ? null : schemas.validator(type.getSchema());
    isBodyNeeded = body != null && operation.getRequestBody().isRequired();
  }

  private Map<String, Value> valuesOf(Location location) {
    return switch (location) {
      case PATH -> pathValues;
      case HEADER -> headerValues;
      default -> queryValues;
    };
  }

  /** Its name. */
  public String id() {
    return operation.getOperationId();
  }

  /** Its method. */
  public HttpMethod method() {
    return operation.getHttpMethod();
  }

  /** Its path as vertx-web writes it. */
  public String route() {
    return operation.getOpenAPIPath().replaceAll("\\{(\\w+)}", ":$1");
  }

  /** What it takes. */
  public Role role() {
    return role;
  }

  /**
   * What the log of actions calls it; empty for what only reads, and for what the runtime records itself, such as the
   * pause of a queue.
   */
  public Optional<String> action() {
    return Optional.ofNullable(operation.getOpenAPIModel().getString("x-runlane-action"));
  }

  /** Whether it may change something. */
  public boolean isChange() {
    return !method().equals(HttpMethod.GET);
  }

  /** Whether it reads a body. */
  public boolean takesBody() {
    return body != null;
  }

  /** The values of the path. Refuses what the document does not allow. */
  public Map<String, String> path(Map<String, String> given) {
    Map<String, String> values = new LinkedHashMap<>();
    pathValues.forEach((name, value) -> {
      String text = given.getOrDefault(name, "");
      value.check(text);
      values.put(name, text);
    });
    return values;
  }

  /** The values of the query. Refuses what the document does not allow or does not know. */
  public Map<String, List<String>> query(MultiMap given) {
    Map<String, List<String>> values = new LinkedHashMap<>();
    for (String name : given.names()) {
      Value value = queryValues.get(name);
      if (value == null) {
        throw ApiRefusal.invalid("query", "the route does not know a parameter of the query");
      }
      List<String> texts = given.getAll(name);
      value.check(texts);
      values.put(name, texts);
    }
    queryValues.forEach((name, value) -> {
      if (value.isRequired() && !values.containsKey(name)) {
        throw ApiRefusal.invalid(name, name + " is needed");
      }
    });
    return values;
  }

  /** The values of the headers that the document names. Refuses what it does not allow. */
  public Map<String, String> headers(MultiMap given) {
    Map<String, String> values = new LinkedHashMap<>();
    headerValues.forEach((name, value) -> {
      List<String> texts = given.getAll(name);
      if (!texts.isEmpty()) {
        value.check(texts);
        values.put(name, texts.get(0));
      }
    });
    return values;
  }

  /** The body. Refuses what the document does not allow or does not know. */
  public ObjectNode body(@Nullable String contentType, @Nullable Buffer sent) {
    boolean isEmpty = sent == null || sent.length() == 0;
    if (body == null || (isEmpty && !isBodyNeeded)) {
      if (isEmpty) {
        return JsonNodeFactory.instance.objectNode();
      }
      throw ApiRefusal.invalid("body", "the route takes no body");
    }
    if (!isEmpty && !isJson(contentType)) {
      throw new ApiRefusal(ApiError.of(415, (Throwable) null));
    }
    if (sent == null || isEmpty || !(JsonTexts.body(sent) instanceof ObjectNode object)) {
      throw ApiRefusal.invalid("body", "the body must be a JSON object");
    }
    check("body", body.validate(plain(object)));
    return object;
  }

  /** Whether a header says that a body is JSON. */
  public static boolean isJson(@Nullable String contentType) {
    return contentType != null && contentType.split(";", 2)[0].strip().equalsIgnoreCase(JSON);
  }

  /** The tree as Vert.x has JSON. */
  private static Object plain(JsonNode node) {
    if (node.isObject()) {
      JsonObject object = new JsonObject();
      node.properties().forEach(entry -> object.put(entry.getKey(), plainOrNull(entry.getValue())));
      return object;
    }
    if (node.isArray()) {
      JsonArray array = new JsonArray();
      node.forEach(item -> array.add(plainOrNull(item)));
      return array;
    }
    if (node.isNumber()) {
      return node.canConvertToLong() && node.isIntegralNumber()
          ? node.longValue()
          : node.doubleValue();
    }
    return node.isBoolean() ? (Object) node.booleanValue() : node.textValue();
  }

  private static @Nullable Object plainOrNull(JsonNode node) {
    return node.isNull() ? null : plain(node);
  }

  /** Names the place and the rule, and never quotes the value. */
  private static void check(String what, OutputUnit output) {
    if (Boolean.TRUE.equals(output.getValid())) {
      return;
    }
    String place = what;
    String rule = "does not satisfy the document";
    for (OutputUnit error :
        output.getErrors() == null ? List.<OutputUnit>of() : output.getErrors()) {
      String location = String.valueOf(error.getInstanceLocation());
      if (location.length() >= place.length() || place.equals(what)) {
        place = location.startsWith("#/") ? location.substring(2) : what;
        rule = keyword(String.valueOf(error.getKeywordLocation()));
      }
    }
    throw ApiRefusal.invalid(
        place.length() > 200 ? what : place, place.length() > 200 ? what + rule : place + rule);
  }

  private static String keyword(String location) {
    String keyword = location.substring(location.lastIndexOf('/') + 1);
    return " breaks the rule \"" + keyword + "\" of the document";
  }

  /**
   * A parameter.
   *
   * @param parameter what the document says
   * @param validator its schema
   */
  private record Value(Parameter parameter, Validator validator) {
    boolean isRequired() {
      return parameter.isRequired();
    }

    void check(List<String> texts) {
      if (parameter.getSchemaType() == SchemaType.ARRAY) {
        ApiOperation.check(
            parameter.getName(), validator.validate(new JsonArray(new ArrayList<>(texts))));
      } else if (texts.size() > 1) {
        throw ApiRefusal.invalid(
            parameter.getName(), parameter.getName() + " may be given once only");
      } else {
        check(texts.get(0));
      }
    }

    void check(String text) {
      ApiOperation.check(parameter.getName(), validator.validate(typed(text)));
    }

    private Object typed(String text) {
      try {
        return switch (parameter.getSchemaType()) {
          case INTEGER -> Integer.valueOf(text);
          case BOOLEAN ->
            text.equals("true") || text.equals("false") ? (Object) Boolean.valueOf(text) : text;
          default -> text;
        };
      } catch (NumberFormatException noNumber) {
        return text;
      }
    }
  }
}
