package dev.runlane.example;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;

/**
 * A payment provider that is only played. Order and try alone decide what it answers, so every start with
 * the same file ends the same. As with real ones, the order's id makes a second charge the first one.
 */
final class Payments {
  /** The card that is declined for good. */
  static final String DECLINED_CARD = "4000-0000-0000-0002";

  private static final int FASTEST_MILLIS = 40;
  private static final int SPREAD_MILLIS = 120;

  private final Clock clock;
  private final Timers timers;

  Payments(Clock clock, Timers timers) {
    this.clock = clock;
    this.timers = timers;
  }

  /**
   * Charges the card.
   *
   * @param failuresSoFar how often this order was tried in vain
   */
  Future<Receipt> charge(Order order, int failuresSoFar) {
    int luck = Math.floorMod(order.id().hashCode() * 31, 1_000);
    Promise<Receipt> answer = Promise.promise();
    timers.schedule(Duration.ofMillis(FASTEST_MILLIS + luck % SPREAD_MILLIS), () -> {
      if (order.card().equals(DECLINED_CARD)) {
        answer.fail(RunlaneException.of(ErrorCode.TASK_FAILED, "the card was declined")
            .withMeta("declineCode", "do_not_honor"));
      } else if (failuresSoFar < timeouts(luck)) {
        answer.fail(RunlaneException.of(
                ErrorCode.TASK_FAILED, "the payment provider did not answer in time")
            .asRetryable());
      } else {
        answer.complete(new Receipt(order.id(), "pay_" + order.id(), clock.now()));
      }
    });
    return answer.future();
  }

  private static int timeouts(int luck) {
    if (luck < 80) {
      return 2;
    }
    return luck < 300 ? 1 : 0;
  }

  /**
   * A successful charge.
   *
   * @param order what was paid
   * @param payment the provider's own id of it
   * @param paidAt when
   */
  record Receipt(String order, String payment, Instant paidAt) {}
}
