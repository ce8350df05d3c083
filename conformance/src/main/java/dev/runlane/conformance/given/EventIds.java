package dev.runlane.conformance.given;

import dev.runlane.storage.read.RunEventRecord;
import java.math.BigInteger;
import java.util.List;

/** Event ids are decimal numbers in text; their order is the numbers' order. */
public final class EventIds {
  private EventIds() {}

  public static int compare(String one, String other) {
    return new BigInteger(one).compareTo(new BigInteger(other));
  }

  public static List<BigInteger> of(List<RunEventRecord> events) {
    return events.stream().map(event -> new BigInteger(event.id())).toList();
  }
}
