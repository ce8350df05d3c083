package dev.runlane.steps.sql.mysql;

import dev.runlane.postgres.statement.BoundStatement;
import dev.runlane.postgres.statement.BoundStatements;
import dev.runlane.postgres.statement.Parameters;
import dev.runlane.postgres.statement.Placeholders;
import dev.runlane.postgres.statement.SqlStatement;
import dev.runlane.postgres.statement.SqlStatements;
import dev.runlane.steps.sql.row.TableSettings;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Statements with lists of any length, for want of array parameters. A list is sent in parts whose numbers
 * of places are powers of two, so that few different statements are ever prepared: a list of ids is filled
 * up with its last one, rows to insert are split.
 */
final class MysqlStatements {
  private static final int MOST_IDS = 512; // from 1 000 on MariaDB turns a list into a subselect
  private static final int MOST_ROWS = 64;
  private final BoundStatements statements;

  MysqlStatements(TableSettings settings) {
    this.statements = SqlStatements.load(
            MysqlStatements.class::getResourceAsStream, settings.schema(), "sql/mysql.sql")
        .with("prefix", settings.prefix())
        .bind(Placeholders.QUESTION_MARKS, all());
  }

  /** Not a constant: those that it names are made of constants of this class. */
  private static List<SqlStatement<?>> all() {
    return Stream.of(
            MysqlSchema.STATEMENTS,
            MysqlStepTables.STATEMENTS,
            MysqlTaskClaims.STATEMENTS,
            MysqlTaskInserts.STATEMENTS)
        .<SqlStatement<?>>flatMap(List::stream)
        .toList();
  }

  /** A statement about steps by their ids, with nothing else. */
  static SqlStatement<OfIds<@Nullable Void>> ofIds(String name) {
    return ofIds(name, new Parameters<>());
  }

  /** A statement about steps by their ids. */
  static <C extends @Nullable Object> SqlStatement<OfIds<C>> ofIds(
      String name, Parameters<C> rest) {
    return SqlStatement.of(
        name, new Parameters<OfIds<C>>().list("ids", OfIds::ids).of(OfIds::rest, rest));
  }

  <C extends @Nullable Object> BoundStatement<C> get(SqlStatement<C> statement) {
    return statements.get(statement);
  }

  /** The same query for each of these, as one. */
  <C> Future<RowSet<Row>> union(SqlClient client, SqlStatement<C> query, List<C> each) {
    String sql = get(query).sql();
    return client
        .preparedQuery(
            "(" + String.join(") UNION ALL (", Collections.nCopies(each.size(), sql)) + ")")
        .execute(concatenated(get(query), each));
  }

  /**
   * All rows for a list of ids, part by part, in the order of the ids.
   *
   * @param rest what the statement is given besides
   */
  <C extends @Nullable Object> Future<List<Row>> byIds(
      SqlClient client, SqlStatement<OfIds<C>> statement, Collection<String> ids, C rest) {
    List<String> sorted = List.copyOf(new TreeSet<>(ids));
    List<List<String>> parts = new ArrayList<>();
    for (int from = 0; from < sorted.size(); from += MOST_IDS) {
      parts.add(filled(sorted.subList(from, Math.min(sorted.size(), from + MOST_IDS))));
    }
    List<Row> found = new ArrayList<>();
    return inTurn(parts, part -> get(statement)
            .execute(client, new OfIds<>(part, rest))
            .map(rows -> addAll(found, rows)))
        .map(ended -> found);
  }

  /** The same where the ids are the only parameters. */
  @SuppressWarnings("NullAway") // the rest may be null here, which the checker does not follow
  Future<List<Row>> byIds(
      SqlClient client, SqlStatement<OfIds<@Nullable Void>> statement, Collection<String> ids) {
    return byIds(client, statement, ids, null);
  }

  /**
   * Inserts rows, in the order given, in statements that do not grow beyond what a server takes.
   *
   * @param done is notified of the rows of each statement that succeeded
   */
  <T> Future<Void> insert(
      SqlClient client,
      Insert<T> insert,
      List<T> values,
      int mostCharacters,
      Consumer<List<T>> done) {
    return inTurn(parts(values, insert.size(), mostCharacters), part -> client
        .preparedQuery(get(insert.ofRows(part.size())).sql())
        .execute(concatenated(get(insert.ofRows(1)), part))
        .andThen(inserted -> {
          if (inserted.succeeded()) {
            done.accept(part);
          }
        }));
  }

  private static <C> Tuple concatenated(BoundStatement<C> one, List<C> each) {
    Tuple all = Tuple.tuple();
    for (C given : each) {
      Tuple values = one.tuple(given);
      for (int place = 0; place < values.size(); place++) {
        all.addValue(values.getValue(place));
      }
    }
    return all;
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
   * What a statement about steps is given.
   *
   * @param ids of the steps
   * @param rest what else
   */
  record OfIds<C extends @Nullable Object>(List<String> ids, C rest) {}

  /**
   * How values become rows.
   *
   * @param statements by the logarithm of how many rows they insert
   * @param size characters of one row, roughly
   */
  record Insert<T>(List<SqlStatement<T>> statements, ToIntFunction<T> size) {
    /**
     * @param name of the statement
     * @param row of the fragment that stands for one row
     */
    static <T> Insert<T> of(
        String name, String row, Parameters<T> parameters, ToIntFunction<T> size) {
      List<SqlStatement<T>> statements = new ArrayList<>();
      for (int rows = 1; rows <= MOST_ROWS; rows *= 2) {
        String all = String.join(", ", Collections.nCopies(rows, "{" + row + "}"));
        statements.add(SqlStatement.of(name, parameters).variant("rows", all));
      }
      return new Insert<>(List.copyOf(statements), size);
    }

    /** A power of two. */
    SqlStatement<T> ofRows(int rows) {
      return statements.get(Integer.numberOfTrailingZeros(rows));
    }
  }
}
