package dev.runlane.connector.run.output;

import dev.runlane.connector.protocol.message.DoneMessage;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.run.state.RunFault;
import org.jspecify.annotations.Nullable;

/** Whether the way a child left agrees with what it said last. */
public final class EndChecks {
  private final RunOutput output;
  private final RunChild child;

  public EndChecks(RunOutput output, RunChild child) {
    this.output = output;
    this.child = child;
  }

  /** Why a run that ran to its child's end, and sent this many records, did not succeed; null when it did. */
  @Nullable
  public RunFault fault(long emitted) {
    DoneMessage done = output.done();
    if (done == null) {
      return withoutDone();
    }
    Integer exitCode = child.exitCode();
    boolean succeeded = done.status() == DoneMessage.Status.SUCCEEDED;
    if (exitCode == null || succeeded != (exitCode == 0)) {
      return RunFault.violation(Violation.of(
              ViolationType.EXIT_CODE_MISMATCH,
              "the exit code " + exitCode + " does not agree with what DONE said")
          .inMessage(done.type())
          .atLine(output.doneLine()));
    }
    if (done.recordsEmitted() != emitted) {
      return RunFault.violation(Violation.of(
              ViolationType.RECORDS_EMITTED_MISMATCH,
              "DONE said " + done.recordsEmitted() + " records, but " + emitted + " came")
          .inMessage(done.type())
          .atLine(output.doneLine()));
    }
    return switch (done.status()) {
      case SUCCEEDED -> null;
      case FAILED -> RunFault.ofConnector(TerminalReason.REPORTED_FAILED, null);
      case CANCELLED -> RunFault.ofConnector(TerminalReason.REPORTED_CANCELLED, null);
    };
  }

  private RunFault withoutDone() {
    String phase = child.inputClosedAt();
    return phase != null
        ? RunFault.stdinClosed(phase)
        : RunFault.ofConnector(
            TerminalReason.EXIT_WITHOUT_DONE,
            "the connector exited with code " + child.exitCode() + " before it said DONE");
  }
}
