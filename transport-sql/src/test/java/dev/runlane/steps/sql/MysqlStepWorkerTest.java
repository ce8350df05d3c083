package dev.runlane.steps.sql;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class MysqlStepWorkerTest extends StepWorkerCases {
  MysqlStepWorkerTest() {
    super(MysqlStepFixture::new);
  }
}
