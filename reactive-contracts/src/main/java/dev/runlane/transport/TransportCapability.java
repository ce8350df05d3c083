package dev.runlane.transport;

/** What a transport may promise. A reported capability is a public promise, not a wish. */
public enum TransportCapability {
  /** A wakeup the provider accepted survives the loss of this process. */
  DURABLE_DELIVERY("durableDelivery"),
  /** Wakeups can be grouped for the provider's own ordering or partitioning. */
  MESSAGE_GROUPING("messageGrouping"),
  /** The provider can hold wakeups until they are due. */
  NATIVE_DELAY("nativeDelay"),
  /** The provider keeps the order of wakeups for the queues in use. */
  ORDERED_DELIVERY("orderedDelivery");

  private final String value;

  TransportCapability(String value) {
    this.value = value;
  }

  /** The flag's name in JSON. */
  public String value() {
    return value;
  }
}
