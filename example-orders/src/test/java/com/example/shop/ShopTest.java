package com.example.shop;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
class ShopTest {
  @Test
  void a_charge_that_fails_is_made_again_without_reserving_twice(RunlaneTesting testing) {
    testing.faults().failStep("charge", 2);
    testing.deploy(Shop.CHARGE);

    TestRun order = testing.trigger(Shop.CHARGE, new Shop.Order("o1", 500));
    testing.advance(Duration.ofMinutes(5));

    assertThat(order)
        .succeeded()
        .afterFailures(2)
        .completedSteps("reserve", "charge")
        .hasOutput("receipt of o1");
  }
}
