package dev.runlane.steps.sql;

class PgEarlierRowsTest extends EarlierRowsCases {
  PgEarlierRowsTest() {
    super(PgStepFixture::new, "postgres");
  }
}
