package dev.runlane.steps.sql;

class MysqlNodeRetryTest extends NodeRetryCases {
  MysqlNodeRetryTest() {
    super(MysqlStepFixture::new);
  }
}
