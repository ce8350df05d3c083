package dev.runlane.steps.sql;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class MysqlNodeInteropTest extends NodeInteropCases {
  MysqlNodeInteropTest() {
    super(MysqlStepFixture::new);
  }
}
