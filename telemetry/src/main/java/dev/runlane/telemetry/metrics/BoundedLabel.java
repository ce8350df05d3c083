package dev.runlane.telemetry.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** One label, whose values are the first so many that are met; each later one is {@code other}. For any thread. */
final class BoundedLabel {
  static final String OTHER = "other";

  private final Set<String> values = ConcurrentHashMap.newKeySet();
  private final Semaphore places;

  BoundedLabel(int most) {
    places = new Semaphore(most);
  }

  String of(String value) {
    if (values.contains(value)) {
      return value;
    }
    if (!places.tryAcquire()) {
      return values.contains(value) ? value : OTHER;
    }
    if (!values.add(value)) {
      places.release(); // another thread met it at the same time
    }
    return value;
  }
}
