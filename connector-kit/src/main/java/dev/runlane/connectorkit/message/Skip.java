package dev.runlane.connectorkit.message;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Something asked for that this run leaves out, which is not a failure: the runtime keeps it as a
 * known gap of the run.
 *
 * @param stream null when it concerns no single stream
 * @param reason a short code of the connector's own, for example {@code page_locked}
 * @param message in words; where it is blank, the reason stands for it
 * @param recovery null when nothing is known of it
 * @param resourceIds what was left out; empty when it is not countable
 * @param diagnostics bounded facts without secrets, or null
 */
public record Skip(
    @Nullable String stream,
    String reason,
    String message,
    @Nullable RecoveryAction recovery,
    List<String> resourceIds,
    @Nullable TimeRange timeRange,
    @Nullable ObjectNode diagnostics) {

  /** Copies the list; the runtime refuses a message without words. */
  public Skip {
    message = message.isBlank() ? reason : message;
    resourceIds = List.copyOf(resourceIds);
  }

  /** A stream, or a part of it, left out for {@code reason}. */
  public static Skip of(@Nullable String stream, String reason, String message) {
    return new Skip(stream, reason, message, null, List.of(), null, null);
  }

  /** The same, with what would mend it. */
  public Skip recoveredBy(RecoveryAction action) {
    return new Skip(stream, reason, message, action, resourceIds, timeRange, diagnostics);
  }

  /** The same, naming what is left out. */
  public Skip ofResources(List<String> ids) {
    return new Skip(stream, reason, message, recovery, ids, timeRange, diagnostics);
  }

  /** The same, for these times only. */
  public Skip ofTimes(TimeRange range) {
    return new Skip(stream, reason, message, recovery, resourceIds, range, diagnostics);
  }

  /** The same, with facts for whoever looks into it. */
  public Skip withDiagnostics(ObjectNode facts) {
    return new Skip(stream, reason, message, recovery, resourceIds, timeRange, facts);
  }
}
