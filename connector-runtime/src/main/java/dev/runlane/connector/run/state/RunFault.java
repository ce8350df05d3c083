package dev.runlane.connector.run.state;

import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.run.request.TerminalReason;
import dev.runlane.connector.store.record.SinkFailure;
import org.jspecify.annotations.Nullable;

/**
 * Why a run ends without success: the first thing that went wrong.
 *
 * @param reason the terminal reason
 * @param kind what the run becomes
 * @param origin connector, runtime, storage or transport
 * @param message in the runtime's words, or null where the connector's own say it
 * @param violation what was broken, or null
 * @param refusal what the sink refused, or null
 * @param batchSize how many records it refused, 0 for none
 * @param refusedStream whose, or null
 * @param stdinPhase when the child closed its input, or null
 */
public record RunFault(
    String reason,
    Kind kind,
    String origin,
    @Nullable String message,
    @Nullable Violation violation,
    @Nullable SinkFailure refusal,
    int batchSize,
    @Nullable String refusedStream,
    @Nullable String stdinPhase) {
  private static final String CONNECTOR = "connector";
  private static final String RUNTIME = "runtime";

  /** What a run becomes. */
  public enum Kind {
    FAILED,
    CANCELLED,
    ABANDONED,
    /** Nothing is recorded: the run is somebody else's. */
    FENCED_OUT
  }

  public static RunFault violation(Violation violation) {
    return new RunFault(
        TerminalReason.PROTOCOL_VIOLATION,
        Kind.FAILED,
        CONNECTOR,
        violation.message(),
        violation,
        null,
        0,
        null,
        null);
  }

  public static RunFault ofConnector(String reason, @Nullable String message) {
    return plain(reason, Kind.FAILED, CONNECTOR, message);
  }

  public static RunFault ofRuntime(String reason, String message) {
    return plain(reason, Kind.FAILED, RUNTIME, message);
  }

  public static RunFault timedOut(String message) {
    return ofRuntime(TerminalReason.RUN_TIMED_OUT, message);
  }

  public static RunFault stdinClosed(String phase) {
    return new RunFault(
        TerminalReason.STDIN_CLOSED,
        Kind.FAILED,
        CONNECTOR,
        "the connector closed its input during " + phase,
        null,
        null,
        0,
        null,
        phase);
  }

  public static RunFault refused(
      String reason, SinkFailure refusal, @Nullable String stream, int records) {
    return new RunFault(
        reason,
        Kind.FAILED,
        refusal.origin().value(),
        refusal.message(),
        null,
        refusal,
        records,
        stream,
        null);
  }

  public static RunFault cancelled(boolean forced) {
    return plain(
        forced ? TerminalReason.OWNER_CANCEL_FORCED : TerminalReason.OWNER_CANCELLED,
        Kind.CANCELLED,
        RUNTIME,
        null);
  }

  public static RunFault abandoned() {
    return plain(TerminalReason.CONTROLLER_TERMINATED, Kind.ABANDONED, RUNTIME, null);
  }

  public static RunFault fencedOut() {
    return plain(TerminalReason.RUNTIME_ERROR, Kind.FENCED_OUT, RUNTIME, null);
  }

  private static RunFault plain(String reason, Kind kind, String origin, @Nullable String message) {
    return new RunFault(reason, kind, origin, message, null, null, 0, null, null);
  }
}
