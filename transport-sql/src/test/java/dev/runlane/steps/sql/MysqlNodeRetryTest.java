package dev.runlane.steps.sql;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class MysqlNodeRetryTest extends NodeRetryCases {
  MysqlNodeRetryTest() {
    super(MysqlStepFixture::new);
  }
}
