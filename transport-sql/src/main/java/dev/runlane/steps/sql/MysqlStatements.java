package dev.runlane.steps.sql;

import dev.runlane.postgres.SchemaName;
import dev.runlane.postgres.SqlStatements;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Statements with lists of any length, for want of array parameters. A list is sent in parts whose numbers
 * of places are powers of two, so that few different statements are ever prepared: a list of ids is filled
 * up with its last one, rows to insert are split.
 */
final class MysqlStatements {
  private static final int MOST_IDS = 512; // from 1 000 on MariaDB turns a list into a subselect
  private static final int MOST_ROWS = 64;
  private static final String IDS = "ids";
  private static final String ROWS = "rows";

  private final SqlStatements statements;
  private final String prefix;

  MysqlStatements(SqlStepOptions options) {
    this.statements = SqlStatements.load(
        MysqlStatements.class, new SchemaName(options.getSchema()), "sql/mysql.sql");
    this.prefix = options.getPrefix();
  }

  String get(String name) {
    return statements.get(name, Map.of("prefix", prefix));
  }

  /** Several times the same query, as one. */
  String union(String name, int times) {
    return "(" + String.join(") UNION ALL (", Collections.nCopies(times, get(name))) + ")";
  }

  /**
   * All rows for a list of ids, part by part, in the order of the ids.
   *
   * @param parameters of one part, given its ids
   */
  Future<List<Row>> byIds(
      SqlClient client,
      String name,
      Collection<String> ids,
      Function<List<String>, Tuple> parameters) {
    List<String> sorted = List.copyOf(new TreeSet<>(ids));
    List<List<String>> parts = new ArrayList<>();
    for (int from = 0; from < sorted.size(); from += MOST_IDS) {
      parts.add(filled(sorted.subList(from, Math.min(sorted.size(), from + MOST_IDS))));
    }
    List<Row> found = new ArrayList<>();
    return inTurn(parts, part -> client
            .preparedQuery(withList(name, IDS, "?", part.size()))
            .execute(parameters.apply(part))
            .map(rows -> addAll(found, rows)))
        .map(ended -> found);
  }

  /** The same where the ids are the only parameters. */
  Future<List<Row>> byIds(SqlClient client, String name, Collection<String> ids) {
    return byIds(client, name, ids, Tuple::from);
  }

  /**
   * Inserts rows, in the order given, in statements that do not grow beyond what a server takes.
   *
   * @param done is told of the rows of each statement that succeeded
   */
  <T> Future<Void> insert(
      SqlClient client,
      Insert<T> insert,
      List<T> values,
      int mostCharacters,
      Consumer<List<T>> done) {
    return inTurn(parts(values, insert.size(), mostCharacters), part -> {
      List<@Nullable Object> all = new ArrayList<>();
      part.forEach(value -> all.addAll(insert.parameters().apply(value)));
      return client
          .preparedQuery(withList(insert.name(), ROWS, get(insert.row()), part.size()))
          .execute(Tuple.from(all))
          .andThen(inserted -> {
            if (inserted.succeeded()) {
              done.accept(part);
            }
          });
    });
  }

  /** The parameters of a part, with others before its ids. */
  static Tuple withFirst(List<String> ids, @Nullable Object... first) {
    Tuple parameters = Tuple.tuple();
    for (Object value : first) {
      parameters.addValue(value);
    }
    ids.forEach(parameters::addString);
    return parameters;
  }

  private String withList(String name, String list, String place, int places) {
    String text = String.join(", ", Collections.nCopies(places, place));
    return statements.get(name, Map.of("prefix", prefix, list, text));
  }

  private static List<String> filled(List<String> ids) {
    List<String> filled = new ArrayList<>(ids);
    while (Integer.bitCount(filled.size()) != 1) {
      filled.add(ids.get(ids.size() - 1));
    }
    return filled;
  }

  private static <T> List<List<T>> parts(
      List<T> values, ToIntFunction<T> size, int mostCharacters) {
    List<List<T>> parts = new ArrayList<>();
    int from = 0;
    while (from < values.size()) {
      int to = from;
      long characters = 0;
      while (to < values.size()
          && to - from < MOST_ROWS
          && (to == from || characters + size.applyAsInt(values.get(to)) <= mostCharacters)) {
        characters += size.applyAsInt(values.get(to));
        to++;
      }
      int rows = Integer.highestOneBit(to - from);
      parts.add(values.subList(from, from + rows));
      from += rows;
    }
    return parts;
  }

  private static <T> Future<Void> inTurn(List<T> parts, Function<T, Future<?>> send) {
    Future<Void> ended = Future.succeededFuture();
    for (T part : parts) {
      ended = ended.compose(before -> send.apply(part).mapEmpty());
    }
    return ended;
  }

  private static List<Row> addAll(List<Row> found, RowSet<Row> rows) {
    rows.forEach(found::add);
    return found;
  }

  /**
   * How values become rows.
   *
   * @param name of the statement
   * @param row of the statement that stands for one row
   * @param size characters of one row, roughly
   * @param parameters those of one row
   */
  record Insert<T>(
      String name,
      String row,
      ToIntFunction<T> size,
      Function<T, List<? extends @Nullable Object>> parameters) {}
}
