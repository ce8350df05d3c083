package dev.runlane.console.answer;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows as text/csv (RFC 4180, UTF-8). A text that a spreadsheet would take for a formula begins with an apostrophe: one
 * that starts with {@code = + - @}, a tab or a line end, in ASCII or full width.
 */
public final class Csv {
  private static final String FORMULA = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20";

  private Csv() {}

  /**
   * The answer with a page of rows.
   *
   * @param columns the fields of a row in order; {@code a.b} is field b of field a
   * @param nextCursor goes to the header {@code x-next-cursor}
   * @param isCut whether the header {@code x-is-cut} says that some were not looked at
   */
  public static Answer page(
      List<String> columns,
      Iterable<? extends JsonNode> rows,
      @Nullable String nextCursor,
      boolean isCut) {
    StringBuilder text = new StringBuilder(String.join(",", columns)).append("\r\n");
    for (JsonNode row : rows) {
      String separator = "";
      for (String column : columns) {
        text.append(separator).append(cell(row.at("/" + column.replace('.', '/'))));
        separator = ",";
      }
      text.append("\r\n");
    }
    Map<String, String> headers = new HashMap<>();
    headers.put("content-disposition", "attachment; filename=\"runlane.csv\"");
    if (nextCursor != null) {
      headers.put("x-next-cursor", nextCursor);
    }
    if (isCut) {
      headers.put("x-is-cut", "true");
    }
    return Answer.whole(200, "text/csv; charset=utf-8", Buffer.buffer(text.toString()), headers);
  }

  /** A value as one cell: nothing for what is missing, JSON for what has structure. */
  static String cell(JsonNode value) {
    if (value.isMissingNode() || value.isNull()) {
      return "";
    }
    if (value.isNumber() || value.isBoolean()) {
      return value.asText();
    }
    String text = value.isTextual() ? value.textValue() : JsonTexts.write(value);
    String safe = !text.isEmpty()
            && FORMULA.indexOf(text.stripLeading().isEmpty() ? text.charAt(0) : first(text)) >= 0
        ? "'" + text
        : text;
    return '"' + safe.replace("\"", "\"\"") + '"';
  }

  /** What a spreadsheet looks at: the first character behind spaces. */
  private static char first(String text) {
    char begin = text.charAt(0);
    return begin == ' ' ? text.stripLeading().charAt(0) : begin;
  }
}
