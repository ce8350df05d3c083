package com.example.shop

import dev.runlane.kotlin.kotlinPayloads
import dev.runlane.testing.RunlaneAssertions.assertThat
import dev.runlane.testing.RunlaneTesting
import dev.runlane.testing.RunlaneTestingExtension
import java.time.Duration
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith

@ExtendWith(RunlaneTestingExtension::class)
class ShopTest {
  @Test
  fun `a charge that fails is made again without reserving twice`(testing: RunlaneTesting) {
    testing.faults().failStep("charge", 2)
    testing.settings { it.kotlinPayloads() }.deploy(charge)

    val order = testing.trigger(charge, Order("o1", 500))
    testing.advance(Duration.ofMinutes(5))

    assertThat(order)
      .succeeded()
      .afterFailures(2)
      .completedSteps("reserve", "charge")
      .hasOutput("receipt of o1")
  }
}
