package dev.runlane.cli.option;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runlane.run.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads what is given as JSON or as a file of JSON. */
public final class JsonInput {
  private static final ObjectMapper JSON = new ObjectMapper();

  private JsonInput() {}

  /** A text that begins with a brace is JSON, any other the name of a file. */
  public static Json fileOrText(String option, String given) {
    String text = given.stripLeading().startsWith("{") ? given : file(option, Path.of(given));
    return Json.ofChecked(object(option, text).toString());
  }

  /** Cursors by stream; a cursor is an object or null. */
  static Map<String, Json> cursors(String option, String given) {
    Map<String, Json> cursors = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> each :
        object(option, fileOrText(option, given).text()).properties()) {
      if (!each.getValue().isObject() && !each.getValue().isNull()) {
        throw new UsageException("%s: the cursor of stream %s is neither an object nor null"
            .formatted(option, each.getKey()));
      }
      cursors.put(each.getKey(), Json.ofChecked(each.getValue().toString()));
    }
    return cursors;
  }

  /** A text that begins with {@code @} names a file, whose text it stands for; any other is answered as it is. */
  public static String orAtFile(String option, String given) {
    return given.startsWith("@") ? file(option, Path.of(given.substring(1))) : given;
  }

  /** The text of a file. Throws {@link UsageException}. */
  public static String file(String option, Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UsageException("%s: %s cannot be read (%s)"
          .formatted(option, file, unreadable.getClass().getSimpleName()));
    }
  }

  private static JsonNode object(String option, String text) {
    try {
      JsonNode tree = JSON.readTree(text);
      if (tree.isObject()) {
        return tree;
      }
    } catch (JsonProcessingException notJson) {
      throw new UsageException("%s: not JSON, line %s column %s"
          .formatted(
              option, notJson.getLocation().getLineNr(), notJson.getLocation().getColumnNr()));
    }
    throw new UsageException(option + ": not a JSON object");
  }
}
