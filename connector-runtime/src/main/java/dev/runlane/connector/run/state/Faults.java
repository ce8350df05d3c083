package dev.runlane.connector.run.state;

import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.run.RunlaneException;

/** Turns failures of the runtime's own parts into faults of a run. */
public final class Faults {
  private Faults() {}

  /** The fault a failure carries, or one of the runtime; its message has the failure's code, never its text. */
  public static RunFault of(String what, Throwable failure) {
    if (failure instanceof RunFaultException carried) {
      return carried.fault();
    }
    String code = failure instanceof RunlaneException known
        ? known.code().value()
        : failure.getClass().getSimpleName();
    return RunFault.ofRuntime(TerminalReason.RUNTIME_ERROR, what + ": " + code);
  }
}
