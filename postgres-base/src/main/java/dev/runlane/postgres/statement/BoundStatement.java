package dev.runlane.postgres.statement;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A statement whose names agree with its text: the one place that knows positions. A call costs one list, filled in
 * an order that was computed once.
 *
 * @param <C> what the caller of the statement holds
 */
public final class BoundStatement<C extends @Nullable Object> {
  private final Parameters<C> parameters;
  private final Placeholders placeholders;
  private final SqlText text;
  private final String sql; // where no list has more than one place
  private final int[] order; // by position, the index among the parameters of the code

  private BoundStatement(
      Parameters<C> parameters, Placeholders placeholders, SqlText text, int[] order) {
    this.parameters = parameters;
    this.placeholders = placeholders;
    this.text = text;
    this.sql = placeholders == Placeholders.NUMBERED ? text.numbered() : text.marked(place -> 1);
    this.order = order;
  }

  /** Fails, naming what is on one side only, unless the code gives exactly what the text names. */
  static <C extends @Nullable Object> BoundStatement<C> of(
      SqlStatement<C> statement, Placeholders placeholders, SqlText text) {
    Map<String, Integer> given = new HashMap<>();
    for (String name : statement.parameters().names()) {
      if (given.putIfAbsent(name, given.size()) != null) {
        throw new IllegalStateException("it is given parameter " + name + " twice");
      }
    }
    require(text.names(), given.keySet(), "it has parameters that it is not given");
    require(given.keySet(), text.names(), "it is given parameters that it does not have");
    int[] order = text.positions(placeholders).stream()
        .mapToInt(name -> given.getOrDefault(name, -1))
        .toArray();
    return new BoundStatement<>(statement.parameters(), placeholders, text, order);
  }

  private static void require(Collection<String> some, Collection<String> others, String what) {
    TreeSet<String> missing = new TreeSet<>(some);
    missing.removeAll(List.copyOf(others));
    if (!missing.isEmpty()) {
      throw new IllegalStateException(what + ": " + missing);
    }
  }

  /** What is prepared, each list with one place. */
  public String sql() {
    return sql;
  }

  /** The values of one call, by position. Where a list has several, only {@link #execute} knows the text. */
  public Tuple tuple(C given) {
    return Tuple.wrap(ordered(parameters.values(given)));
  }

  /** Sends a statement without parameters prepared. */
  public Future<RowSet<Row>> execute(SqlClient client) {
    return client.preparedQuery(sql).execute();
  }

  /** Sends it prepared. */
  public Future<RowSet<Row>> execute(SqlClient client, C given) {
    List<@Nullable Object> values = parameters.values(given);
    String prepared = placeholders == Placeholders.NUMBERED
        ? sql
        : text.marked(place -> values.get(order[place]) instanceof List<?> list ? list.size() : 1);
    return client.preparedQuery(prepared).execute(Tuple.wrap(ordered(values)));
  }

  private List<@Nullable Object> ordered(List<@Nullable Object> values) {
    List<@Nullable Object> ordered = new ArrayList<>(order.length);
    for (int index : order) {
      Object value = values.get(index);
      if (value instanceof List<?> list) {
        ordered.addAll(list);
      } else {
        ordered.add(value);
      }
    }
    return ordered;
  }
}
