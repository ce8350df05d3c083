package dev.runlane.steps.sql;

class PgNodeRetryTest extends NodeRetryCases {
  PgNodeRetryTest() {
    super(PgStepFixture::new);
  }
}
