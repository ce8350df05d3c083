package dev.runlane.connector.run.output;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runlane.connector.protocol.message.AssistanceMessage;
import dev.runlane.connector.protocol.message.AssistanceStatusMessage;
import dev.runlane.connector.protocol.redact.Redaction;
import dev.runlane.connector.run.state.RunData;
import dev.runlane.connector.run.state.TimelineWriter;
import dev.runlane.connector.store.timeline.TimelineEventType;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The notes to the owner of one run: none needs an answer, and the end of each is reported, by the connector or with
 * the run. Belongs to the run's context.
 */
final class AssistanceNotices {
  /** Open notes that are remembered; the end of others is reported by the connector alone. */
  private static final int MOST_OPEN = 100;

  private final TimelineWriter timelineWriter;
  private final Redaction redaction;
  private final Set<String> open = new LinkedHashSet<>();
  private long noted;

  AssistanceNotices(TimelineWriter timelineWriter, Redaction redaction) {
    this.timelineWriter = timelineWriter;
    this.redaction = redaction;
  }

  /** Reports a note; one without a name is given one. */
  void report(AssistanceMessage note) {
    noted++;
    String given = note.requestId();
    String id = given == null ? "asst_" + noted : given;
    if (open.size() < MOST_OPEN) {
      open.add(id);
    }
    ObjectNode data = RunData.object();
    data.put("assistance_request_id", redaction.name(id));
    data.put("progress_posture", note.posture());
    data.put("owner_action", note.ownerAction());
    data.put("response_contract", "none");
    data.put("sensitivity", note.sensitivity());
    data.put("message", redaction.message(note.message(), RunData.MAX_MESSAGE));
    data.put("stream", note.stream());
    note.attachments().forEach(data.putArray("attachments")::add);
    timelineWriter.append(TimelineEventType.ASSISTANCE_REQUESTED, "started", note.stream(), data);
  }

  /** Reports what the connector says has become of a note. */
  void report(AssistanceStatusMessage status) {
    open.remove(status.requestId());
    reportEnd(status.requestId(), status.status());
  }

  /** Reports that the notes which are open end with the run. */
  void end(boolean succeeded) {
    open.forEach(id -> reportEnd(id, succeeded ? "resolved" : "cancelled"));
    open.clear();
  }

  private void reportEnd(String id, String status) {
    ObjectNode data = RunData.object();
    data.put("assistance_request_id", redaction.name(id));
    data.put("status", status);
    TimelineEventType type =
        switch (status) {
          case "resolved" -> TimelineEventType.ASSISTANCE_RESOLVED;
          case "timed_out" -> TimelineEventType.ASSISTANCE_TIMED_OUT;
          case "escalated" -> TimelineEventType.ASSISTANCE_ESCALATED;
          default -> TimelineEventType.ASSISTANCE_CANCELLED;
        };
    timelineWriter.append(type, status, data);
  }
}
