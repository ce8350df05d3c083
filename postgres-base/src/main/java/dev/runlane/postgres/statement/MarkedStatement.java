package dev.runlane.postgres.statement;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A statement with question marks, for drivers of JDBC: a name that stands twice is given twice.
 *
 * @param <C> what the caller of the statement holds
 */
public final class MarkedStatement<C extends @Nullable Object> {
  private final String sql;
  private final List<String> marks;
  private final Parameters<C> parameters;

  private MarkedStatement(String sql, List<String> marks, Parameters<C> parameters) {
    this.sql = sql;
    this.marks = marks;
    this.parameters = parameters;
  }

  static <C extends @Nullable Object> MarkedStatement<C> of(
      SqlStatement<C> statement, SqlText text) {
    Set<String> named = new TreeSet<>(text.names());
    Set<String> given = new TreeSet<>(statement.parameters().names());
    if (!named.equals(given)) {
      throw new IllegalStateException("the text names " + named + ", the code " + given);
    }
    return new MarkedStatement<>(text.marked(place -> 1), text.names(), statement.parameters());
  }

  /** As it is prepared. */
  public String sql() {
    return sql;
  }

  /** The values of the marks, in their order. */
  public List<@Nullable Object> values(C given) {
    Map<String, @Nullable Object> byName = new HashMap<>();
    List<@Nullable Object> values = parameters.values(given);
    for (int index = 0; index < values.size(); index++) {
      byName.put(parameters.names().get(index), values.get(index));
    }
    List<@Nullable Object> inOrder = new ArrayList<>(marks.size());
    marks.forEach(name -> inOrder.add(byName.get(name)));
    return inOrder;
  }
}
