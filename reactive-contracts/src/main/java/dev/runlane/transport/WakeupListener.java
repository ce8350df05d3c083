package dev.runlane.transport;

import java.util.List;

/** Is notified of wakeups. Must neither block nor throw. */
public interface WakeupListener {
  /** Some work may be due. Wakeups may be doubled, late or in another order than published. */
  void onWakeups(List<DeliveryMessage> messages);

  /** Wakeups may have been lost, for example while a connection was down: look at everything once. */
  void onPossibleLoss();
}
