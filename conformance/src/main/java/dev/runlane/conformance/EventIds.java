package dev.runlane.conformance;

import dev.runlane.storage.RunEventRecord;
import java.math.BigInteger;
import java.util.List;

/** Event ids are decimal numbers in text; their order is the numbers' order. */
final class EventIds {
  private EventIds() {}

  static int compare(String one, String other) {
    return new BigInteger(one).compareTo(new BigInteger(other));
  }

  static List<BigInteger> of(List<RunEventRecord> events) {
    return events.stream().map(event -> new BigInteger(event.id())).toList();
  }
}
