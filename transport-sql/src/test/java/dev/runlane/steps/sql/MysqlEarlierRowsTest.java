package dev.runlane.steps.sql;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class MysqlEarlierRowsTest extends EarlierRowsCases {
  MysqlEarlierRowsTest() {
    super(MysqlStepFixture::new, "mysql");
  }
}
