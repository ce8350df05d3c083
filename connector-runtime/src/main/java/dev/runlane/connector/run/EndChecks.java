package dev.runlane.connector.run;

import dev.runlane.connector.protocol.DoneMessage;
import dev.runlane.connector.protocol.Violation;
import dev.runlane.connector.protocol.ViolationType;
import org.jspecify.annotations.Nullable;

/** Whether the way a child left agrees with what it said last. */
final class EndChecks {
  private EndChecks() {}

  /**
   * Why a run that ran to its child's end did not succeed, or null when it did.
   *
   * @param stdinClosedAt when the child closed its input before its end, or null
   */
  static @Nullable RunFault fault(
      @Nullable DoneMessage done,
      @Nullable Integer exitCode,
      long emitted,
      @Nullable String stdinClosedAt) {
    if (done == null) {
      return stdinClosedAt != null
          ? RunFault.stdinClosed(stdinClosedAt)
          : RunFault.ofConnector(
              TerminalReason.EXIT_WITHOUT_DONE,
              "the connector exited with code " + exitCode + " before it said DONE");
    }
    boolean succeeded = done.status() == DoneMessage.Status.SUCCEEDED;
    if (exitCode == null || succeeded != (exitCode == 0)) {
      return RunFault.violation(Violation.of(
          ViolationType.EXIT_CODE_MISMATCH,
          "the exit code " + exitCode + " does not agree with what DONE said"));
    }
    if (done.recordsEmitted() != emitted) {
      return RunFault.violation(Violation.of(
              ViolationType.RECORDS_EMITTED_MISMATCH,
              "DONE said " + done.recordsEmitted() + " records, but " + emitted + " came")
          .inMessage(done.type()));
    }
    return switch (done.status()) {
      case SUCCEEDED -> null;
      case FAILED -> RunFault.ofConnector(TerminalReason.REPORTED_FAILED, null);
      case CANCELLED -> RunFault.ofConnector(TerminalReason.REPORTED_CANCELLED, null);
    };
  }
}
