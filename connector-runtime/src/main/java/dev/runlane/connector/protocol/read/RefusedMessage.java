package dev.runlane.connector.protocol.read;

import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import java.util.Locale;

/** Carries a violation out of the reading of one message; never leaves this package. */
final class RefusedMessage extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Violation violation;

  RefusedMessage(Violation violation) {
    super(violation.message(), null, false, false); // an answer, not a failure: no stack
    this.violation = violation;
  }

  static RefusedMessage of(ViolationType type, String format, Object... args) {
    return new RefusedMessage(Violation.of(type, String.format(Locale.ROOT, format, args)));
  }

  Violation violation() {
    return violation;
  }
}
