package com.example.shop;

import dev.runlane.postgres.options.PgAddress;

/** The shop on a Postgres of yours, which the variable DATABASE names. */
public final class YourPostgres {
  private YourPostgres() {}

  /** Its arguments are orders. */
  public static void main(String[] orders) throws Exception {
    Shop.work(PgAddress.parse(System.getenv("DATABASE")), orders);
  }
}
