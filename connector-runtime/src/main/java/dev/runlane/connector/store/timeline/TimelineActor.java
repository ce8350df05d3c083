package dev.runlane.connector.store.timeline;

import dev.runlane.connector.store.key.StoredValues;

/** Who did what an event records. The string values are stored and never change. */
public enum TimelineActor {
  /** The runtime, on behalf of the connector: the actor id is the connector's. */
  RUNTIME("runtime"),
  /** The owner. */
  OWNER("owner");

  private final String value;

  TimelineActor(String value) {
    this.value = value;
  }

  /** The string that is stored and shown. */
  public String value() {
    return value;
  }

  /** The actor with this string value. Throws {@link IllegalArgumentException} when there is none. */
  public static TimelineActor ofValue(String value) {
    return StoredValues.find(values(), TimelineActor::value, value);
  }
}
