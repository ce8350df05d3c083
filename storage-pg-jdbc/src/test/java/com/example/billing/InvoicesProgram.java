package com.example.billing;

import dev.runlane.run.RunlaneException;
import dev.runlane.storage.pg.jdbc.JdbcTrigger;
import dev.runlane.storage.pg.jdbc.JdbcTriggers;
import java.sql.Connection;
import org.postgresql.ds.PGSimpleDataSource;

/** Started by a test, in a process that has no Vert.x. */
public final class InvoicesProgram {
  private InvoicesProgram() {}

  /** The address, user and password of a database. */
  public static void main(String[] args) throws Exception {
    PGSimpleDataSource database = new PGSimpleDataSource();
    database.setUrl(args[0]);
    database.setUser(args[1]);
    database.setPassword(args[2]);
    Invoices invoices = new Invoices(database);
    System.out.println(invoices.add(7).outcome());
    System.out.println(invoices.add(7).outcome());
    try (Connection connection = database.getConnection()) {
      System.out.println(JdbcTriggers.create()
          .trigger(connection, JdbcTrigger.of("invoices.send", "{}").setNotifying(true))
          .outcome());
      JdbcTriggers.in("nowhere", "default").trigger(connection, JdbcTrigger.of("t", "{}"));
    } catch (RunlaneException refused) {
      System.out.println(refused.code());
    }
    try {
      JdbcTrigger.of("t", "{bad");
    } catch (RunlaneException refused) {
      System.out.println(refused.code());
    }
    try {
      Class.forName("io.vertx.core.Vertx");
      System.out.println("Vert.x is there");
    } catch (ClassNotFoundException expected) {
      System.out.println("no Vert.x");
    }
  }
}
