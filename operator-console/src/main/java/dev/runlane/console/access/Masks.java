package dev.runlane.console.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.runlane.console.answer.ApiError;
import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.run.RunlaneException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Hides values of resources by JSON path from callers below a role. A path begins at the resource as it is answered, a
 * run, event or job: {@code $.payload.card.number}, {@code $.output}, {@code $..iban}, {@code $.items[*].price}, {@code
 * $['odd name']}.
 */
public final class Masks {
  /** What stands in place of a hidden value = {@value}. */
  public static final String MASKED = "[masked]";

  /** Hides nothing. */
  public static final Masks NONE = new Masks(List.of(), Role.VIEWER);

  private static final JsonNode MASK = TextNode.valueOf(MASKED);
  private static final Pattern STEP = Pattern.compile(
      "\\.\\.(?<deep>[\\w-]+)|\\.(?<name>[\\w-]+)|\\['(?<quoted>[^']+)'\\]|(?<all>\\.\\*|\\[\\*\\])");

  private final List<List<Step>> paths;
  private final Role sees;

  /** Throws {@code ConfigurationInvalid} for a malformed path. */
  public Masks(List<String> paths, Role sees) {
    this.paths = paths.stream().map(Masks::parse).toList();
    this.sees = sees;
  }

  /** Whether this caller is shown less than there is. */
  public boolean hidesFrom(Caller caller) {
    return !paths.isEmpty() && !caller.role().covers(sees);
  }

  /** The resource with what the caller may not see replaced; it is changed itself. */
  public <T extends JsonNode> T apply(T resource, Caller caller) {
    if (hidesFrom(caller)) {
      for (List<Step> path : paths) {
        replace(resource, path, 0, value -> MASK);
      }
    }
    return resource;
  }

  /**
   * The resource with what the caller may not see replaced, also what is hidden where another resource has it under
   * this name; it is changed itself. Where that hides it as a whole, each of its texts is, but instants.
   */
  public ObjectNode applyAs(String name, ObjectNode resource, Caller caller) {
    ObjectNode around = JsonNodeFactory.instance.objectNode();
    around.set(name, apply(resource, caller));
    if (!apply(around, caller).path(name).isObject()) {
      resource.properties().stream()
          .filter(field -> !field.getKey().endsWith("At")) // who reads the answer counts on those
          .forEach(field -> field.setValue(MASK));
    }
    return resource;
  }

  /**
   * An answer of connectors: in a list each resource of its {@code data} with what the caller may not see replaced,
   * else the answer as a resource; it is changed itself. Lines of text have no paths, so none of them is shown.
   */
  public ObjectNode applyToAnswer(ObjectNode answer, Caller caller) {
    if (!hidesFrom(caller) || !(answer.path("data") instanceof ArrayNode data)) {
      return apply(answer, caller);
    }
    for (int i = 0; i < data.size(); i++) {
      data.set(i, data.get(i).isContainerNode() ? apply(data.get(i), caller) : MASK);
    }
    return answer;
  }

  /** Whether something of these values, which stand where the resource has them, is hidden from the caller. */
  public boolean hidesAnyOf(ObjectNode values, Caller caller) {
    return hidesFrom(caller) && !apply(values.deepCopy(), caller).equals(values);
  }

  /**
   * Whether something of such values may be hidden from the caller, where fields of any name may stand below {@code
   * open}, as tags do.
   */
  public boolean mayHideAnyOf(ObjectNode values, String open, Caller caller) {
    ObjectNode all = values.deepCopy();
    ObjectNode named = all.withObjectProperty(open);
    paths.forEach(path -> path.forEach(step -> named.put(step.name(), "any")));
    return hidesAnyOf(all, caller);
  }

  /** Refuses with 403 a filter by a value that the caller may not see: what is found would tell it. */
  public void requireVisible(ObjectNode filter, Caller caller) {
    filter.properties().forEach(field -> {
      ObjectNode alone = JsonNodeFactory.instance.objectNode();
      alone.set(field.getKey(), field.getValue());
      if (hidesAnyOf(alone, caller)) {
        refuseFilter(field.getKey());
      }
    });
  }

  /** Refuses with 403 a filter by this field, which the caller may not see. */
  @SuppressWarnings("DoNotCallSuggester") // called where a filter has it
  public static void refuseFilter(String field) {
    throw new ApiRefusal(new ApiError(
        403,
        "filter_masked",
        "who may not see " + field + " finds nothing by it",
        field,
        null,
        null,
        false));
  }

  /**
   * Refuses with 400 a payload that has {@value #MASKED} where a value is hidden from the caller, who was shown that
   * and sends it back: the text would be stored in place of the value.
   */
  public void requireUnmasked(JsonNode payload, Caller caller) {
    if (!hidesFrom(caller)) {
      return;
    }
    ObjectNode resource = JsonNodeFactory.instance.objectNode();
    resource.set("payload", payload);
    List<JsonNode> hidden = new ArrayList<>();
    for (List<Step> path : paths) {
      replace(resource, path, 0, value -> {
        hidden.add(value);
        return value;
      });
    }
    if (hidden.contains(MASK)) {
      throw ApiRefusal.invalid(
          "payload",
          "the payload has " + MASKED + " where a value is hidden from you: send the value itself");
    }
  }

  private static void replace(
      JsonNode at, List<Step> path, int depth, UnaryOperator<JsonNode> replacement) {
    Step step = path.get(depth);
    boolean isLast = depth == path.size() - 1;
    if (at instanceof ObjectNode object) {
      List<String> names = new ArrayList<>();
      object.fieldNames().forEachRemaining(names::add);
      for (String name : names) {
        JsonNode child = object.path(name);
        if (step.takes(name)) {
          if (isLast) {
            object.set(name, replacement.apply(child));
            continue;
          }
          replace(child, path, depth + 1, replacement);
        }
        if (step.isDeep()) {
          replace(child, path, depth, replacement);
        }
      }
    } else if (at instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        if (step.isAll() && isLast) {
          array.set(i, replacement.apply(array.get(i)));
        } else if (step.isAll()) {
          replace(array.get(i), path, depth + 1, replacement);
        } else if (step.isDeep()) {
          replace(array.get(i), path, depth, replacement);
        }
      }
    }
  }

  private static List<Step> parse(String path) {
    List<Step> steps = new ArrayList<>();
    Matcher matcher = STEP.matcher(path);
    int at = 1;
    while (path.startsWith("$") && matcher.find(at) && matcher.start() == at) {
      steps.add(Step.of(matcher));
      at = matcher.end();
    }
    if (steps.isEmpty() || at != path.length()) {
      throw RunlaneException.configurationInvalid(
          "a path to mask must look like $.payload.card, $..iban or $.items[*].price, but is %s",
          path);
    }
    return steps;
  }

  /**
   * One step of a path.
   *
   * @param name the field, or empty for all
   * @param isDeep whether it may lie at any depth
   */
  private record Step(String name, boolean isDeep) {
    static Step of(Matcher matcher) {
      if (matcher.group("all") != null) {
        return new Step("", false);
      }
      String deep = matcher.group("deep");
      String plain = matcher.group("name");
      return deep != null
          ? new Step(deep, true)
          : new Step(plain == null ? matcher.group("quoted") : plain, false);
    }

    boolean isAll() {
      return name.isEmpty();
    }

    boolean takes(String field) {
      return isAll() || name.equals(field);
    }
  }
}
