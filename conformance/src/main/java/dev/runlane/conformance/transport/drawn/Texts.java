package dev.runlane.conformance.transport.drawn;

import dev.runlane.run.Environment;
import dev.runlane.transport.DeliveryMessage;
import java.util.Map;
import java.util.TreeMap;

/** Wakeups as text, so that each part of one that is lost or altered on its way is seen. */
final class Texts {
  static final String PUBLISHED = "published";

  private Texts() {}

  static String of(DeliveryMessage message) {
    return of(message.environment(), message);
  }

  /** Of the same wakeup in this environment. */
  static String of(Environment environment, DeliveryMessage message) {
    Map<String, String> trace = message.traceCarrier();
    return "%s of %s in %s at %s, trace %s"
        .formatted(
            message.runId(),
            environment.name(),
            message.queue(),
            message.requestedAt(),
            trace == null ? "none" : new TreeMap<>(trace));
  }
}
