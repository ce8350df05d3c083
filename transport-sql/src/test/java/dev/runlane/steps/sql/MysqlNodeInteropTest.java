package dev.runlane.steps.sql;

class MysqlNodeInteropTest extends NodeInteropCases {
  MysqlNodeInteropTest() {
    super(MysqlStepFixture::new);
  }
}
