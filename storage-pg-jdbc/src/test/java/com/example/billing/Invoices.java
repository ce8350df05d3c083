package com.example.billing;

import dev.runlane.storage.pg.jdbc.JdbcTrigger;
import dev.runlane.storage.pg.jdbc.JdbcTriggers;
import dev.runlane.storage.pg.jdbc.TriggeredRun;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import javax.sql.DataSource;

/** An application that blocks: an invoice, and the run that sends it, or neither. */
public class Invoices {
  private final JdbcTriggers triggers = JdbcTriggers.create();
  private final DataSource database;

  public Invoices(DataSource database) {
    this.database = database;
  }

  public TriggeredRun add(int number) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      insert(connection, number);
      TriggeredRun run = triggers.trigger(
          connection,
          JdbcTrigger.of("invoices.send", "{\"number\":" + number + "}")
              .setIdempotencyKey("invoice-" + number));
      connection.commit();
      return run;
    }
  }

  private static void insert(Connection connection, int number) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO invoices (number) VALUES (?)")) {
      insert.setInt(1, number);
      insert.executeUpdate();
    }
  }
}
