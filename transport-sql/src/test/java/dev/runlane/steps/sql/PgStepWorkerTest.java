package dev.runlane.steps.sql;

class PgStepWorkerTest extends StepWorkerCases {
  PgStepWorkerTest() {
    super(PgStepFixture::new);
  }
}
