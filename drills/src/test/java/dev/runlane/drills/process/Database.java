package dev.runlane.drills.process;

import dev.runlane.testinfra.postgres.PostgresAddress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** Looks at a drill's database past all code under test, over one connection that is opened again when lost. */
public final class Database implements AutoCloseable {
  private final PGSimpleDataSource source = new PGSimpleDataSource();
  private @Nullable Connection open;

  public Database(PostgresAddress address) {
    source.setServerNames(new String[] {address.host()});
    source.setPortNumbers(new int[] {address.port()});
    source.setDatabaseName(address.database());
    source.setUser(address.user());
    source.setPassword(address.password());
    source.setConnectTimeout(10);
    source.setSocketTimeout(60);
  }

  /** Runs statements without parameters or rows. */
  public void execute(String sql) {
    withStatement(sql, List.of(), PreparedStatement::execute);
  }

  /** The number in the only column of the only row. */
  public long number(String sql, Object... parameters) {
    return rows(sql, row -> row.getLong(1), parameters).get(0);
  }

  public <T> List<T> rows(String sql, RowMapper<T> mapper, Object... parameters) {
    return withStatement(sql, List.of(parameters), statement -> {
      statement.setFetchSize(5_000);
      List<T> mapped = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          mapped.add(mapper.map(rows));
        }
      }
      return mapped;
    });
  }

  private synchronized <T> T withStatement(String sql, List<Object> parameters, Use<T> use) {
    try {
      Connection connection = connection();
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        for (int index = 0; index < parameters.size(); index++) {
          statement.setObject(index + 1, parameters.get(index));
        }
        return use.of(statement);
      }
    } catch (SQLException failure) {
      close();
      throw new IllegalStateException("the drill's own statement failed: " + sql, failure);
    }
  }

  private Connection connection() throws SQLException {
    Connection connection = open;
    if (connection == null || connection.isClosed()) {
      connection = source.getConnection();
      open = connection;
    }
    return connection;
  }

  @Override
  public synchronized void close() {
    Connection connection = open;
    open = null;
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (SQLException failure) {
      System.out.println("the drill's connection was not closed: " + failure.getMessage());
    }
  }

  /** Makes a value of a row. */
  public interface RowMapper<T> {
    T map(ResultSet row) throws SQLException;
  }

  private interface Use<T> {
    T of(PreparedStatement statement) throws SQLException;
  }
}
