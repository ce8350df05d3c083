package dev.runlane.console.contract;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.console.answer.Answer;
import dev.runlane.console.answer.Csv;
import dev.runlane.storage.read.Page;
import java.util.List;
import java.util.function.Function;

/** Lists as they are answered: {@code data}, and {@code nextCursor} where there is more; or as CSV. */
public final class Pages {
  private Pages() {}

  /**
   * A page, in the format that the call asks for.
   *
   * @param columns what a row of CSV has
   */
  public static <T> Answer page(
      ApiCall call, Page<T> page, Function<T, ObjectNode> row, List<String> columns) {
    return call.one("format").orElse("json").equals("csv")
        ? Csv.page(columns, page.data().stream().map(row).toList(), page.nextCursor(), page.isCut())
        : page(page, row);
  }

  /** A page, of what is answered as JSON alone. */
  public static <T> Answer page(Page<T> page, Function<T, ObjectNode> row) {
    ObjectNode body = data(page.data().stream().map(row).toList());
    if (page.nextCursor() != null) {
      body.put("nextCursor", page.nextCursor());
    }
    if (page.isCut()) {
      body.put("isCut", true);
    }
    return Answer.ok(body);
  }

  /** A list that is no page of a longer one. */
  public static <T> Answer list(List<T> all, Function<T, ObjectNode> row) {
    return Answer.ok(data(all.stream().map(row).toList()));
  }

  private static ObjectNode data(List<ObjectNode> rows) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    body.putArray("data").addAll(rows);
    return body;
  }
}
