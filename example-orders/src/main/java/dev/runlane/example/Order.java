package dev.runlane.example;

import java.time.Duration;

/**
 * One order of the file.
 *
 * @param id what makes it the same order in every start
 * @param merchant who sells; payments of one merchant are limited together
 * @param card what is charged
 * @param amountCents how much, positive
 * @param chargeAfterSeconds how long a pre-order waits before it is charged; 0 for at once
 */
record Order(String id, String merchant, String card, long amountCents, int chargeAfterSeconds) {
  boolean isPreOrder() {
    return chargeAfterSeconds > 0;
  }

  Duration chargeAfter() {
    return Duration.ofSeconds(chargeAfterSeconds);
  }
}
