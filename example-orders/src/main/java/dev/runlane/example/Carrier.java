package dev.runlane.example;

import dev.runlane.timing.Clock;
import java.time.Duration;

/** A parcel service that is only played: each parcel takes a second or two from payment to pick-up. */
final class Carrier {
  private static final Duration FASTEST = Duration.ofMillis(800);
  private static final int SPREAD_MILLIS = 1_200;

  private final Clock clock;

  Carrier(Clock clock) {
    this.clock = clock;
  }

  /** How long the parcel still lies about; zero once the carrier has it. */
  Duration untilPickUp(Shipment shipment) {
    Duration transit =
        FASTEST.plusMillis(Math.floorMod(shipment.order().hashCode() * 17, SPREAD_MILLIS));
    Duration left = Duration.between(clock.now(), shipment.paidAt().plus(transit));
    return left.isNegative() ? Duration.ZERO : left;
  }
}
