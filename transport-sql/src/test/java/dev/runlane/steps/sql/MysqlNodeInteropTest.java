package dev.runlane.steps.sql;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
class MysqlNodeInteropTest extends NodeInteropCases {
  MysqlNodeInteropTest() {
    super(MysqlStepFixture::new);
  }

  @Override
  @Tag("full")
  @Tag("drill")
  @Test
  @Timeout(180)
  void a_fleet_of_both_serves_the_engine_of_the_package_although_workers_of_both_are_killed()
      throws Exception {
    super.a_fleet_of_both_serves_the_engine_of_the_package_although_workers_of_both_are_killed();
  }
}
