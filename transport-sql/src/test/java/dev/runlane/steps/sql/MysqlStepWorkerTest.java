package dev.runlane.steps.sql;

class MysqlStepWorkerTest extends StepWorkerCases {
  MysqlStepWorkerTest() {
    super(MysqlStepFixture::new);
  }
}
