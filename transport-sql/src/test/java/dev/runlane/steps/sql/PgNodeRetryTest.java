package dev.runlane.steps.sql;

import org.junit.jupiter.api.Tag;

@Tag("slow")
class PgNodeRetryTest extends NodeRetryCases {
  PgNodeRetryTest() {
    super(PgStepFixture::new);
  }
}
